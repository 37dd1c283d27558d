/** The search of one part by a script: follows what was agreed, and tells what it sees itself. */
import type { QueryGraph } from "../query/graph.ts";
import type { Spelling } from "../query/lexicon.ts";
import type {
  AgreedBucket,
  Agreement,
  Choice,
  KeyedAgreement,
  Measured,
  PathKeys,
  Place,
  Step,
  ToldChoice,
} from "../rank/agreement.ts";
import type { Distinct } from "../rank/distinct.ts";
import { chosenPaths, type Interpretations, Reading } from "../rank/reading.ts";
import type { RankDetail } from "../rank/result.ts";
import { comparePlaces, placeKey } from "./place.ts";
import type { Report, Script } from "./script.ts";

/** Comes before all buckets of a rule. */
const BEFORE_ALL = -1;

/** What somebody wants to know beside the order of documents. */
interface Tells {
  /** What the rules said of documents. */
  details: boolean;
  /** Where typos were looked at, and how many documents were in each bucket then. */
  looked: boolean;
  buckets: boolean;
}

export class PartRun implements Agreement, KeyedAgreement {
  readonly report: Omit<Report, "degraded"> = {
    frequencies: null,
    buckets: [],
    choices: [],
    holds: [],
    measured: [],
    shown: [],
    looked: [],
  };
  readonly #script: Script;
  readonly #tells: Tells;
  readonly #choices: ReadonlyMap<string, readonly PathKeys[]>;
  readonly #holds: ReadonlyMap<string, boolean>;
  readonly #orders: ReadonlyMap<string, readonly AgreedBucket[]>;
  #graph: QueryGraph = { termCount: 0, nodes: [] };
  #distinct: Distinct | null = null;
  /** The bucket that is sorted, and the one that its rule has come to. */
  #place: Place = [];
  #own: Place = [];
  /** How many of the documents that other parts show have been shown. */
  #passed = 0;

  constructor(script: Script, tells: Tells) {
    this.#tells = tells;
    this.#script = script;
    this.#choices = new Map(script.choices);
    this.#holds = new Map(script.holds);
    this.#orders = new Map(script.orders);
  }

  open(graph: QueryGraph): void {
    this.#graph = graph;
  }

  looked(term: Spelling): void {
    this.look(this.#graph.nodes.findIndex((known) => known.term === term));
  }

  look(node: number): void {
    if (this.#tells.looked) this.report.looked.push({ node, place: this.#own });
  }

  frequencies(here: number[]): number[] {
    this.report.frequencies = here;
    return [...(this.#script.frequencies ?? here)];
  }

  attend(distinct: Distinct): void {
    this.#distinct = distinct;
  }

  begin(place: Place): void {
    this.#place = place;
    this.#own = [...place, BEFORE_ALL];
  }

  reach(step: Step): void {
    this.#own = [...this.#place, step];
    this.#passWhile(({ place }) => comparePlaces(place, this.#own) < 0);
  }

  chosen(step: Step, here: readonly Choice[]): Interpretations {
    const choices = here.map(({ order, path }) => ({ path: path.map(({ key }) => key), order }));
    const agreed = this.agreedOn(step, choices);
    const { nodes } = this.#graph;
    if (agreed === null) return chosenPaths(here.map(({ path }) => path));
    return chosenPaths(agreed.map((path) => path.map((key) => Reading.of(nodes, key))));
  }

  agreedOn(step: Step, choices: readonly ToldChoice[]): readonly PathKeys[] | null {
    const place = [...this.#place, step];
    this.report.choices.push({ place, choices: [...choices] });
    return this.#choices.get(placeKey(place)) ?? null;
  }

  holds(name: string, here: boolean): boolean {
    const place = this.#place;
    this.report.holds.push({ place, name, here });
    return this.#holds.get(`${placeKey(place)} ${name}`) ?? here;
  }

  order(here: () => Measured[]): readonly AgreedBucket[] | null {
    const place = this.#place;
    this.report.measured.push({ place, documents: here() });
    return this.#orders.get(placeKey(place)) ?? null;
  }

  enter(place: Place, count: number): boolean {
    const { end } = this.#script;
    if (this.#tells.buckets) this.report.buckets.push({ place, count });
    return end === null || comparePlaces(place, end.place) <= 0;
  }

  come(place: Place, docid: number): boolean {
    this.#passWhile((other) => (comparePlaces(other.place, place) || other.docid - docid) < 0);
    const { end } = this.#script;
    return end === null || end.docid === null || docid <= end.docid;
  }

  show(place: Place, segment: number, row: number, docid: number, details: RankDetail[]): void {
    const values = this.#distinct?.valuesOf(segment, row) ?? [];
    const document = { docid, values, segment, row };
    const last = this.report.shown.at(-1);
    if (last?.place === place) last.documents.push(document);
    else this.report.shown.push({ place, details: this.#tells.details ? details : null, documents: [document] });
  }

  end(): void {
    this.#passWhile(() => true);
  }

  #passWhile(isBefore: (document: Script["shown"][number]) => boolean): void {
    const { shown } = this.#script;
    while (this.#passed < shown.length && isBefore(shown[this.#passed]!)) {
      this.#distinct?.addValues(shown[this.#passed]!.values);
      this.#passed++;
    }
  }
}
