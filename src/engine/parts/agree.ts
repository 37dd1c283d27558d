/** From what all parts told to what they are told next. */
import type { AgreedBucket, Measured, PathKeys, Place, ToldChoice } from "../rank/agreement.ts";
import { compareOrders } from "../rank/cost-sort.ts";
import type { DistinctValue } from "../rank/distinct.ts";
import { comparePlaces, placeKey } from "./place.ts";
import type { End, Report, Script, ShownBucket, ShownDocument, Told } from "./script.ts";

/** What the merged list is to be. */
export interface Wanted {
  /** Documents shown at most; that many end the search, unless it looks at all of them. */
  limit: number;
  looksAtAll: boolean;
  isDistinct: boolean;
  hasThreshold: boolean;
  /** Without rules the last document ends the search, otherwise its bucket. */
  hasRules: boolean;
}

interface AgreedDocument extends ShownDocument, Pick<ShownBucket, "details"> {
  part: number;
  segment: number;
  row: number;
}

/** A script for all parts: with what each of them shows. */
export interface Agreed extends Omit<Script, "shown"> {
  shown: AgreedDocument[];
}

/** `orderOf` puts documents in the order of the rule that sorts a bucket. */
export function agree(
  reports: readonly Report[],
  wanted: Wanted,
  orderOf: (place: Place, documents: Measured[]) => AgreedBucket[],
): Agreed {
  const { end, shown } = shownOf(reports, wanted);
  const counts = (place: Place): boolean => end === null || comparePlaces(place, end.place) <= 0;
  const orders = new Map<string, AgreedBucket[]>();
  for (const { key, members, place } of grouped(reports.flatMap(({ measured }) => measured.filter(at(counts))))) {
    const documents = members.flatMap((member) => member.documents);
    orders.set(key, orderOf(place, documents));
  }
  const choices = new Map<string, PathKeys[]>();
  for (const { key, members } of grouped(reports.flatMap((report) => report.choices.filter(at(counts))))) {
    choices.set(key, mergedChoices(members.flatMap((member) => member.choices)));
  }
  const holds = new Map<string, boolean>();
  for (const { here, name, place } of reports.flatMap((report) => report.holds.filter(at(counts)))) {
    const key = `${placeKey(place)} ${name}`;
    holds.set(key, holds.get(key) === true || here);
  }
  const told = { choices: inOrder(choices), holds: inOrder(holds), orders: inOrder(orders) };
  return { frequencies: summed(reports), ...told, shown, end };
}

function at(counts: (place: Place) => boolean): (told: { place: Place }) => boolean {
  return ({ place }) => counts(place);
}

interface Group<Told> {
  key: string;
  place: Place;
  members: Told[];
}

/** By bucket. */
function grouped<Told extends { place: Place }>(told: readonly Told[]): Iterable<Group<Told>> {
  const groups = new Map<string, Group<Told>>();
  for (const one of told) {
    const key = placeKey(one.place);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, place: one.place, members: [one] });
    else group.members.push(one);
  }
  return groups.values();
}

/** Each once, in the order in which one search over all documents would find them. */
function mergedChoices(choices: readonly ToldChoice[]): PathKeys[] {
  const paths = new Map<string, PathKeys>();
  for (const { path } of [...choices].sort((a, b) => compareOrders(a.order, b.order))) {
    const key = path.join();
    if (!paths.has(key)) paths.set(key, path);
  }
  return [...paths.values()];
}

function summed(reports: readonly Report[]): number[] | null {
  const told = reports.map(({ frequencies }) => frequencies).filter((counts) => counts !== null);
  if (told.length === 0) return null;
  return told[0]!.map((_, term) => told.reduce((sum, counts) => sum + counts[term]!, 0));
}

/** What all parts show together, in order; of documents that share a value only the first. */
function shownOf(reports: readonly Report[], wanted: Wanted): { shown: AgreedDocument[]; end: End | null } {
  const all: AgreedDocument[] = [];
  reports.forEach((report, part) => {
    for (const { details, documents, place } of report.shown) {
      for (const document of documents) all.push({ ...document, place, details, part });
    }
  });
  all.sort((a, b) => comparePlaces(a.place, b.place) || a.docid - b.docid);
  const { hasRules, isDistinct, limit, looksAtAll } = wanted;
  const seen = new Set<DistinctValue>();
  const shown: AgreedDocument[] = [];
  let end: End | null = null;
  for (const document of all) {
    if (end !== null && (!hasRules || !isDistinct || comparePlaces(document.place, end.place) > 0)) break;
    if (document.values.some((value) => seen.has(value))) continue;
    for (const value of document.values) seen.add(value);
    shown.push(document);
    if (shown.length === limit && !looksAtAll) {
      end = { place: document.place, docid: hasRules ? null : document.docid };
    }
  }
  return { shown, end };
}

/**
 * Whether parts that were asked by `before` did what they would do by what came of it: where nothing was agreed before, each of
 * them followed itself.
 */
export function isFollowed(
  reports: readonly Report[],
  before: Agreed,
  agreed: Agreed,
  { hasThreshold, isDistinct }: Wanted,
): boolean {
  // Others may come behind where the search was thought to end.
  if (before.end !== null && agreed.end === null) return false;
  // Where a search ends then matters to more than what it shows.
  if ((isDistinct || hasThreshold) && !isSame(lastOf(before), lastOf(agreed))) return false;
  if (!isSame(before.orders, agreed.orders)) return false;
  const followed = { choices: new Map(before.choices), holds: new Map(before.holds) };
  const wanted = { choices: new Map(agreed.choices), holds: new Map(agreed.holds) };
  return reports.every(({ choices, frequencies, holds }) => {
    if (!isSame(before.frequencies ?? frequencies, agreed.frequencies)) return false;
    const areChosen = choices.every((told) => {
      const key = placeKey(told.place);
      const own = wanted.choices.get(key);
      return own === undefined || isSame(followed.choices.get(key) ?? mergedChoices(told.choices), own);
    });
    return (
      areChosen &&
      holds.every(({ here, name, place }) => {
        const key = `${placeKey(place)} ${name}`;
        const own = wanted.holds.get(key);
        return own === undefined || (followed.holds.get(key) ?? here) === own;
      })
    );
  });
}

function lastOf({ end, shown }: Agreed): unknown {
  return [end, shown.map(({ docid, place }) => [docid, place])];
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function inOrder<Value>(told: ReadonlyMap<string, Value>): Told<Value>[] {
  return [...told].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
