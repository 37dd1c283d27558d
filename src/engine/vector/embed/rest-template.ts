/**
 * The request and response templates of an embedder, compiled once: how inputs become a body, and where the vectors
 * stand in an answer. That templates are well formed was checked with the settings.
 */

import { EMBEDDING, REPEAT } from "../../../base/contract/rest-template.ts";
import type { Json } from "../../../base/json/value.ts";

import { EmbedError } from "./embedder.ts";

export interface RequestTemplate {
  /** Whether a request takes several values. */
  repeats: boolean;
  fill(values: readonly Json[]): string;
}

/** JSON text around the place of the value. */
interface Hole {
  before: string;
  after: string;
}

/**
 *   {"model": "m", "input": [{"text": "{{text}}"}, "{{..}}"]}
 *   └────── before ───────┘ └─ each ─┘        └┘ └── after ──
 */
export function compileRequest(template: Json, placeholder: string): RequestTemplate {
  let each: Hole | null = null;

  /** The text of a part without the placeholder, else what is around it. */
  function compile(part: Json): string | Hole {
    if (part === placeholder) return { before: "", after: "" };
    if (Array.isArray(part)) {
      if (isRepeated(part)) {
        each = compile(part[0]!) as Hole;
        return { before: "[", after: "]" };
      }
      return join("[", part.map(compile), "]");
    }
    if (typeof part === "object" && part !== null) {
      const members = Object.entries(part).map(([key, value]) => join(`${JSON.stringify(key)}:`, [compile(value)], ""));
      return join("{", members, "}");
    }
    return JSON.stringify(part);
  }

  const whole = compile(template);
  if (typeof whole === "string") throw new EmbedError("user", `in \`request\`: \`${placeholder}\` not found`);
  const { before, after } = whole;
  const item = each as Hole | null;
  if (item === null) return { repeats: false, fill: ([value]) => before + JSON.stringify(value) + after };
  return {
    repeats: true,
    fill: (values) =>
      before + values.map((value) => item.before + JSON.stringify(value) + item.after).join(",") + after,
  };
}

function join(open: string, parts: readonly (string | Hole)[], close: string): string | Hole {
  const at = parts.findIndex((part) => typeof part !== "string");
  if (at < 0) return open + parts.join(",") + close;
  const hole = parts[at] as Hole;
  return {
    before: open + [...parts.slice(0, at), hole.before].join(","),
    after: [hole.after, ...parts.slice(at + 1)].join(",") + close,
  };
}

function isRepeated(part: readonly Json[]): boolean {
  return part.length === 2 && part[1] === REPEAT;
}

type Step = string | number;

/** Reads `count` vectors out of an answer; throws an `EmbedError` that tells how far the answer fits. */
export type ResponseReader = (answer: Json, count: number) => Float32Array<ArrayBuffer>[];

export function compileResponse(template: Json): ResponseReader {
  const found = find(template);
  if (found === null) throw new EmbedError("user", `in \`response\`: \`${EMBEDDING}\` not found`);
  const { outer, inner } = found;
  if (inner === null) {
    return (answer, count) => {
      if (count !== 1) throw wrongCount("response", 1, count);
      const { value, path } = walk(answer, outer, "response");
      return [vectorOf(value, path)];
    };
  }
  return (answer, count) => {
    const { value: items, path } = walk(answer, outer, "response");
    if (!Array.isArray(items)) throw misfit(path, "an array", items);
    if (items.length !== count) throw wrongCount(path, items.length, count);
    return items.map((item, i) => {
      const { value, path: at } = walk(item, inner, `${path}[${i}]`);
      return vectorOf(value, at);
    });
  };
}

/** Steps to the embedding; to the repeated array and inside its items when there is one. */
function find(part: Json): { outer: Step[]; inner: Step[] | null } | null {
  if (part === EMBEDDING) return { outer: [], inner: null };
  if (typeof part !== "object" || part === null) return null;
  if (Array.isArray(part) && isRepeated(part)) {
    const item = find(part[0]!);
    return item === null ? null : { outer: [], inner: item.outer };
  }
  const members: [Step, Json][] = Array.isArray(part) ? [...part.entries()] : Object.entries(part);
  for (const [step, value] of members) {
    const found = find(value);
    if (found !== null) return { outer: [step, ...found.outer], inner: found.inner };
  }
  return null;
}

function walk(from: Json, steps: readonly Step[], start: string): { value: Json; path: string } {
  let value = from;
  let path = start;
  for (const step of steps) {
    if (typeof step === "number") {
      if (!Array.isArray(value) || step >= value.length) throw misfit(path, `an array with an item ${step}`, value);
      value = value[step]!;
      path += `[${step}]`;
    } else {
      const fits = typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, step);
      if (!fits) throw misfit(path, `an object with the key \`${step}\``, value);
      value = (value as { [key: string]: Json })[step]!;
      path += `.${step}`;
    }
  }
  return { value, path };
}

function vectorOf(value: Json, path: string): Float32Array<ArrayBuffer> {
  if (!Array.isArray(value)) throw misfit(path, "an array of numbers", value);
  if (value.length === 0) throw misfit(path, "an array of numbers", value);
  const vector = new Float32Array(value.length);
  for (let i = 0; i < value.length; i++) {
    const number = value[i];
    if (typeof number !== "number") throw misfit(`${path}[${i}]`, "a number", number!);
    vector[i] = number;
    if (!Number.isFinite(vector[i])) throw misfit(`${path}[${i}]`, "a number of 32 bits", number);
  }
  return vector;
}

function wrongCount(path: string, found: number, expected: number): EmbedError {
  return new EmbedError(
    "runtime",
    `the answer does not fit the request: \`${path}\` has ${found} embedding(s) for ${expected} text(s)`,
  );
}

function misfit(path: string, expected: string, found: Json): EmbedError {
  return new EmbedError(
    "user",
    `the answer does not fit \`response\`: at \`${path}\`, expected ${expected}, found ${described(found)}`,
  );
}

function described(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (typeof value !== "object") return typeof value === "string" ? "a string" : `\`${value}\``;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => `\`${key.slice(0, KEY_CHARS_SHOWN)}\``);
  return `an object with ${shown.join(", ")}${keys.length > KEYS_SHOWN ? "…" : ""}`;
}

const KEYS_SHOWN = 8;
const KEY_CHARS_SHOWN = 40;
