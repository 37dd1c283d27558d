/** An index that lies in parts on several servers, as the server that is asked sees it. */
import type { ErrorBody } from "../../../base/errors/errors.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import { isDivided } from "../../parts/divide.ts";
import type { PartQuestion, PartQuestions } from "../../parts/questions.ts";
import type { RankedHit } from "../../rank/result.ts";
import type { Asking, PartAnswer } from "../asking.ts";
import type { RequestContext } from "../task.ts";

/** A document of a part: `segment` is the number of the part, `row` that of the document. */
export interface DividedHit extends RankedHit {
  /** Of the attribute that is distinct, if there is one. */
  values: readonly (number | string)[];
}

/** The names of all fields, in the form in which those who want to know them find them in an index. */
type FieldsInParts = Pick<IndexView, "settings" | "fieldDistribution" | "fieldOrder"> & {
  readonly segments: readonly { readonly reader: { fields: readonly string[]; columns: { fields(): string[] } } }[];
};

export class IndexInParts {
  readonly view: IndexView;
  /** Why servers did not answer, where a part is missing for that; null where all parts are there. */
  readonly errors: Record<string, ErrorBody> | null;
  readonly #asking: Asking;
  /** Numbers of the groups that are there. */
  readonly #groups: readonly number[];

  /** Null for an index that is answered here. */
  static of(view: IndexView, context: Pick<RequestContext, "parts">): IndexInParts | null {
    if (!isDivided(view)) return null;
    const asking = context.parts;
    if (asking === undefined) return null;
    const groups = asking.groupsOf(view);
    const there = groups.flatMap(({ missing }, i) => (missing === null ? [i] : []));
    const missing = groups.map((group) => group.missing).filter((errors) => errors !== null);
    return new IndexInParts(view, asking, there, missing.length === 0 ? null : Object.assign({}, ...missing));
  }

  private constructor(
    view: IndexView,
    asking: Asking,
    groups: readonly number[],
    errors: Record<string, ErrorBody> | null,
  ) {
    this.view = view;
    this.errors = errors;
    this.#asking = asking;
    this.#groups = groups;
  }

  /** Of the parts that are there. */
  get count(): number {
    return this.#groups.length;
  }

  /** Whether all that was answered so far is the state that this server shows. */
  get isCurrent(): boolean {
    return this.errors === null && this.#asking.isCurrent;
  }

  /** Throws where something is to be asked first. */
  mustBeAnswered(): void {
    this.#asking.mustBeAnswered();
  }

  /** The same of all parts; answers are in their order. `deadline`: of this thread's `performance.now()`. */
  ask<Q extends PartQuestion>(
    question: Q,
    asked: PartQuestions[Q]["asked"],
    deadline: number | null = null,
  ): PartAnswer<Q>[] {
    return this.askEach(
      question,
      Array.from({ length: this.count }, () => asked),
      deadline,
    ).map((answer) => answer!);
  }

  /** By part; nothing of those with null. */
  askEach<Q extends PartQuestion>(
    question: Q,
    asked: readonly (PartQuestions[Q]["asked"] | null)[],
    deadline: number | null = null,
  ): (PartAnswer<Q> | null)[] {
    const leftMs = deadline === null || deadline === Number.POSITIVE_INFINITY ? null : deadline - performance.now();
    const answers = this.#groups.map((group, part) => {
      const own = asked[part] ?? null;
      return own === null ? undefined : this.#asking.answerOf(this.view, group, question, own, leftMs);
    });
    this.#asking.mustHave(answers);
    return answers.map((answer) => answer ?? null);
  }

  /** All fields, where some of the names lead into objects: what is shown of those depends on them. Else null. */
  fieldsBehind(names: readonly string[]): string[] | null {
    if (!names.some((name) => name.includes("."))) return null;
    const { segments } = this.fields();
    return [...new Set(segments.flatMap(({ reader }) => [...reader.fields, ...reader.columns.fields()]))];
  }

  fields(): FieldsInParts {
    const { fieldDistribution, fieldOrder, settings } = this.view;
    const segments = this.ask("fields", {}).map(({ answer: { columns, words } }) => ({
      reader: { fields: words, columns: { fields: () => columns } },
    }));
    return { settings, fieldDistribution, fieldOrder, segments };
  }
}
