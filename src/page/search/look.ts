/** What to show of a document first: its title, its picture, its place. */
import type { Document, Hit, Json } from "../api/types.ts";

const TITLES = ["title", "name", "label", "headline", "subject", "word", "package"];
const PICTURES = /image|img|poster|picture|photo|thumb|cover|avatar|logo/i;
const PICTURE_FILE = /\.(?:jpe?g|png|webp|gif|avif|svg)(?:[?#]|$)/i;
/** Other addresses the browser would not load here. */
const LOADABLE = /^(?:https:\/\/|data:image\/)/i;

export function fieldsOf(hit: Hit): Document {
  return Object.fromEntries(
    Object.entries(hit).filter(
      ([name]) => !name.startsWith("_ranking") && name !== "_formatted" && name !== "_vectors",
    ),
  ) as Document;
}

/** Null for a document without any text. */
export function titleField(document: Document): string | null {
  const names = Object.keys(document);
  const named = TITLES.find((title) => typeof document[title] === "string");
  return named ?? names.find((name) => typeof document[name] === "string" && !isPicture(name, document[name])) ?? null;
}

/** In one line. */
export function titleOf(hit: Hit): string {
  const fields = fieldsOf(hit);
  const name = titleField(fields);
  return name === null ? JSON.stringify(fields) : shownValue(fields[name]!);
}

export function pictureOf(document: Document): string | null {
  const found = Object.entries(document).find(([name, value]) => isPicture(name, value));
  return found === undefined ? null : (found[1] as string);
}

function isPicture(name: string, value: Json | undefined): boolean {
  return typeof value === "string" && LOADABLE.test(value) && (PICTURES.test(name) || PICTURE_FILE.test(value));
}

/** Nothing but a point. */
function isPlace(value: Json): value is { lat: number; lng: number } {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const { lat, lng, ...rest } = value;
  return typeof lat === "number" && typeof lng === "number" && Object.keys(rest).length === 0;
}

/** Lists of texts and numbers as people write them; what has a form of its own as JSON. */
export function shownValue(value: Json): string {
  if (typeof value === "string") return value;
  if (isPlace(value)) return `${value["lat"]}, ${value["lng"]}`;
  const isPlain =
    Array.isArray(value) && value.length > 0 && value.every((item) => item === null || typeof item !== "object");
  return isPlain ? value.map((item) => shownValue(item)).join(", ") : JSON.stringify(value);
}
