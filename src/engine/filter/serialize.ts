/**
 * Writes a filter out again in one canonical form: every name and value between double quotes, every part between
 * parentheses. Search messages show filters so, because arrays have no single text of their own.
 */
import { type Filter, type FilterEvaluationError, locate, type Token, type WrittenPoint } from "./filter.ts";
import { isTextOperator, TEXT_OPERATORS } from "./text-operators.ts";

class Writer {
  text = "";
  readonly places = new Map<Token, { start: number; end: number }>();

  plain(text: string): void {
    this.text += text;
  }

  /** A piece that a message may point at. */
  marked(token: Token, text: string): void {
    this.places.set(token, { start: this.text.length, end: this.text.length + text.length });
    this.text += text;
  }

  quoted(token: Token): void {
    this.marked(token, `"${token.text.replace(/["\\]/g, "\\$&")}"`);
  }

  list<T>(items: readonly T[], separator: string, write: (item: T) => void): void {
    items.forEach((item, i) => {
      if (i > 0) this.plain(separator);
      write(item);
    });
  }
}

const KEYWORDS = {
  exists: "EXISTS",
  null: "IS NULL",
  empty: "IS EMPTY",
} as const;

function write(filter: Filter, out: Writer): void {
  const group = (inner: Filter): void => {
    out.plain("(");
    write(inner, out);
    out.plain(")");
  };
  const point = ({ latitude, longitude }: WrittenPoint): void => {
    out.list([latitude, longitude], ", ", (each) => out.marked(each, each.text));
  };
  const pair = (each: WrittenPoint): void => {
    out.plain("[");
    point(each);
    out.plain("]");
  };
  if (isTextOperator(filter)) {
    out.quoted(filter.field);
    out.plain(" ");
    out.marked(filter.keyword, TEXT_OPERATORS[filter.kind].words);
    out.plain(" ");
    out.quoted(filter.value);
    return;
  }
  switch (filter.kind) {
    case "and":
    case "or":
      out.list(filter.filters, filter.kind === "and" ? " AND " : " OR ", group);
      return;
    case "not":
      out.plain("NOT ");
      group(filter.filter);
      return;
    case "compare":
      out.quoted(filter.field);
      out.plain(` ${filter.operator} `);
      out.quoted(filter.value);
      return;
    case "between":
      out.list([filter.field, filter.low], " ", (each) => out.quoted(each));
      out.plain(" TO ");
      out.quoted(filter.high);
      return;
    case "in":
      out.quoted(filter.field);
      out.plain(" IN [");
      out.list(filter.values, ", ", (each) => out.quoted(each));
      out.plain("]");
      return;
    case "exists":
    case "null":
    case "empty":
      out.quoted(filter.field);
      out.plain(` ${KEYWORDS[filter.kind]}`);
      return;
    case "geoRadius": {
      const start = out.text.length;
      out.plain("_geoRadius(");
      point(filter.centre);
      for (const each of [filter.metres, ...(filter.resolution === null ? [] : [filter.resolution])]) {
        out.plain(", ");
        out.marked(each, each.text);
      }
      out.plain(")");
      out.places.set(filter.call, { start, end: out.text.length });
      return;
    }
    case "geoBoundingBox":
    case "geoPolygon": {
      const start = out.text.length;
      out.plain(filter.kind === "geoPolygon" ? "_geoPolygon(" : "_geoBoundingBox(");
      out.list(filter.kind === "geoPolygon" ? filter.points : [filter.topRight, filter.bottomLeft], ", ", pair);
      out.plain(")");
      out.places.set(filter.call, { start, end: out.text.length });
      return;
    }
    case "vectors":
      out.marked(filter.call, "_vectors");
      if (filter.embedder !== null) {
        out.plain(".");
        out.quoted(filter.embedder);
        if (filter.trait.kind === "fragment") {
          out.plain(".fragments.");
          out.quoted(filter.trait.name);
        } else if (filter.trait.kind !== "any") out.plain(`.${filter.trait.kind}`);
      }
      out.plain(" EXISTS");
      return;
    case "foreign": {
      const start = out.text.length;
      out.plain("_foreign(");
      out.quoted(filter.field);
      out.plain(", ");
      write(filter.filter, out);
      out.plain(")");
      out.places.set(filter.call, { start, end: out.text.length });
    }
  }
}

export function serializeFilter(filter: Filter): string {
  const out = new Writer();
  write(filter, out);
  return out.text;
}

/** The error's message with its place in the canonical form of the whole filter. */
export function serializedMessage(error: FilterEvaluationError, filter: Filter): string {
  const out = new Writer();
  write(filter, out);
  const place = out.places.get(error.token);
  return place === undefined ? error.message : `${error.diagnostic}\n${locate({ source: out.text, ...place })}`;
}
