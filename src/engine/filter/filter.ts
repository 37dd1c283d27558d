/**
 * What a filter is once read: a tree of conditions whose names and values remember where they stood in the text.
 * Shapes and locations only; reading is in `parse.ts`, meaning in `evaluate.ts`.
 */
import type { TextOperator } from "./text-operators.ts";

/** A stretch of one filter text. Offsets count UTF-16 units, end exclusive. */
export interface Token {
  /** What it says, without quotes and escapes. */
  text: string;
  source: string;
  start: number;
  end: number;
}

export type Comparison = "=" | "!=" | ">" | ">=" | "<" | "<=";

export type VectorTrait =
  | { kind: "any" | "userProvided" | "documentTemplate" | "regenerate" }
  | { kind: "fragment"; name: Token };

/** A corner or centre as it was written: still to be checked against the limits of the globe. */
export interface WrittenPoint {
  latitude: Token;
  longitude: Token;
}

export type Filter =
  | { kind: "and" | "or"; filters: Filter[] }
  | { kind: "not"; filter: Filter }
  | { kind: "compare"; field: Token; operator: Comparison; value: Token }
  | { kind: "between"; field: Token; low: Token; high: Token }
  | { kind: "in"; field: Token; values: Token[] }
  | { kind: "exists" | "null" | "empty"; field: Token }
  | { kind: TextOperator; field: Token; keyword: Token; value: Token }
  | { kind: "geoRadius"; call: Token; centre: WrittenPoint; metres: Token; resolution: Token | null }
  | { kind: "geoBoundingBox"; call: Token; topRight: WrittenPoint; bottomLeft: WrittenPoint }
  | { kind: "geoPolygon"; call: Token; points: WrittenPoint[] }
  | { kind: "vectors"; call: Token; embedder: Token | null; trait: VectorTrait }
  | { kind: "foreign"; call: Token; field: Token; filter: Filter };

/** Calls `visit` for the filter and everything in it, outermost first, but for what is in one for which it returns false. */
export function walkFilter(filter: Filter, visit: (each: Filter) => boolean): void {
  if (!visit(filter)) return;
  if (filter.kind === "and" || filter.kind === "or") for (const each of filter.filters) walkFilter(each, visit);
  else if (filter.kind === "not" || filter.kind === "foreign") walkFilter(filter.filter, visit);
}

/** Characters, not UTF-16 units. */
function countCharacters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) i++;
    count++;
  }
  return count;
}

/** `start:end text`: columns count characters from 1 within the line on which the token starts, end exclusive. */
export function locate({ source, start, end }: Pick<Token, "source" | "start" | "end">): string {
  const lineStart = source.lastIndexOf("\n", start - 1) + 1;
  const column = countCharacters(source.slice(start === 0 ? 0 : lineStart, start)) + 1;
  return `${column}:${column + countCharacters(source.slice(start, end))} ${source}`;
}

/** Quotes an extract of the filter inside a diagnostic, on one line. */
export function quoteExtract(text: string): string {
  const oneLine = text.replace(/[\n\r\t\\]/g, (c) =>
    c === "\n" ? "\\n" : c === "\r" ? "\\r" : c === "\t" ? "\\t" : "\\\\",
  );
  return `\`${oneLine}\``;
}

export type SyntaxKind =
  | "ExpectedEof"
  | "ExpectedValue"
  | "ExpectedValueReserved"
  | "InvalidPrimary"
  | "MissingClosingDelimiter"
  | "MalformedValue"
  | "InvalidEscapedNumber"
  | "Incomplete"
  | "InOpeningBracket"
  | "InClosingBracket"
  | "InExpectedValue"
  | "GeoRadius"
  | "GeoRadiusArgumentCount"
  | "GeoBoundingBox"
  | "GeoPolygon"
  | "GeoPolygonNotEnoughPoints"
  | "GeoCoordinatesNotPair"
  | "ReservedGeo"
  | "MisusedGeoRadius"
  | "MisusedGeoBoundingBox"
  | "VectorFilterMissingEmbedder"
  | "VectorFilterInvalidEmbedder"
  | "VectorFilterInvalidQuotes"
  | "VectorFilterMissingFragment"
  | "VectorFilterInvalidFragment"
  | "VectorFilterUnknownSuffix"
  | "VectorFilterLeftover"
  | "VectorFilterOperation"
  | "Foreign"
  | "DepthLimitReached"
  | "Shape";

/** The text is no filter. The message has two lines: what was expected, then where. */
export class FilterSyntaxError extends Error {
  override readonly name = "FilterSyntaxError";
  readonly kind: SyntaxKind;
  /** `start:end`, or null when the problem is the JSON shape. */
  readonly location: string | null;

  constructor(kind: SyntaxKind, diagnostic: string, at: Pick<Token, "source" | "start" | "end"> | null) {
    const where = at === null ? null : locate(at);
    super(where === null ? diagnostic : `${diagnostic}\n${where}`);
    this.kind = kind;
    this.location = where === null ? null : where.slice(0, where.indexOf(" "));
  }
}

type EvaluationReason = "notFilterable" | "operatorNotAllowed" | "geo" | "vectors" | "foreign";

/** The filter is well written but cannot be applied to this index. */
export class FilterEvaluationError extends Error {
  override readonly name = "FilterEvaluationError";
  readonly reason: EvaluationReason;
  readonly diagnostic: string;
  readonly token: Token;

  constructor(reason: EvaluationReason, diagnostic: string, token: Token) {
    super(`${diagnostic}\n${locate(token)}`);
    this.reason = reason;
    this.diagnostic = diagnostic;
    this.token = token;
  }
}
