/**
 * One template of a client, compiled once and rendered often: for documents while they are indexed, for queries when they
 * are embedded. A variable that is not there is an error of its own, so that callers can tell it from a broken template.
 */

import type { Context, Template } from "liquidjs";
import type { Json, JsonObject } from "../../../base/json/value.ts";
import { liquid } from "../../../storage/settings/liquid.ts";

/** The template names something that the input lacks. */
export class MissingVariable extends Error {
  override readonly name = "MissingVariable";
  /** As the template spells it. */
  readonly variable: string;

  constructor(variable: string) {
    super(`the variable \`${variable}\` is missing`);
    this.variable = variable;
  }
}

/** The template cannot be parsed, takes too long, or makes too much. */
export class TemplateFailure extends Error {
  override readonly name = "TemplateFailure";
}

export interface TextTemplate {
  /** Throws `MissingVariable` or `TemplateFailure`. */
  render(scope: JsonObject): string;
}

/**
 * How long one rendering may take, and how often it is tried. A thread that was kept waiting looks like a slow template:
 * where a failure is dear, another try tells them apart.
 */
export interface Patience {
  ms: number;
  tries: number;
}

export const ONCE: Patience = { ms: 200, tries: 1 };
export const AGAIN: Patience = { ms: 1000, tries: 3 };

/** Throws `TemplateFailure`. */
export function compileTemplate(text: string, patience: Patience): TextTemplate {
  return plainTemplate(text) ?? liquidTemplate(text, patience);
}

function liquidTemplate(text: string, { ms, tries }: Patience): TextTemplate {
  let parsed: Template[];
  try {
    parsed = liquid().parse(text);
  } catch (error) {
    throw new TemplateFailure((error as Error).message);
  }
  const options = { strictVariables: true, renderLimit: ms };
  const render = (scope: JsonObject, triesLeft: number): string => {
    try {
      return String(liquid().renderSync(parsed, scope as unknown as Context, options));
    } catch (error) {
      const { message, originalError } = error as Error & { originalError?: { variableName?: unknown } };
      const variable = originalError?.variableName;
      if (typeof variable === "string") throw new MissingVariable(variable);
      if (triesLeft > 0 && message.includes(TOO_SLOW)) return render(scope, triesLeft - 1);
      throw new TemplateFailure(message);
    }
  };
  return { render: (scope) => render(scope, tries - 1) };
}

/** How the interpreter says that a rendering took too long. */
const TOO_SLOW = "render limit exceeded";

const OUTPUT = /\{\{\s*([a-z_]\w*(?:\.[a-z_]\w*)*)\s*\}\}/gi;
/** Names that mean something else than a member, and words of the language. */
const SPECIAL = /(?:^|\.)(?:size|first|last|true|false|nil|null|empty|blank|forloop|tablerowloop)(?:\.|$)/i;

/** Most templates are text with a few members of the document in it: those need no interpreter. Null for all others. */
function plainTemplate(text: string): TextTemplate | null {
  const texts: string[] = [];
  const paths: string[][] = [];
  let at = 0;
  for (const match of text.matchAll(OUTPUT)) {
    const [whole, path] = match as unknown as [string, string];
    if (SPECIAL.test(path)) return null;
    texts.push(text.slice(at, match.index));
    paths.push(path.split("."));
    at = match.index + whole.length;
  }
  texts.push(text.slice(at));
  if (texts.some((piece) => piece.includes("{{") || piece.includes("{%"))) return null;
  return {
    render(scope) {
      let rendered = texts[0]!;
      for (let i = 0; i < paths.length; i++) rendered += shownValue(valueAt(scope, paths[i]!)) + texts[i + 1]!;
      return rendered;
    },
  };
}

function valueAt(scope: JsonObject, path: readonly string[]): Json {
  let value: Json = scope;
  for (const name of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) {
      throw new MissingVariable(path.join("."));
    }
    value = (value as JsonObject)[name]!;
  }
  return value;
}

/** A value as templates print it: lists and objects are their contents one after the other. */
export function shownValue(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(shownValue).join("");
  if (typeof value === "object") return shownObject.call(value);
  return String(value);
}

function shownObject(this: JsonObject): string {
  return Object.entries(this)
    .map(([name, value]) => name + shownValue(value))
    .join("");
}

const printable = Object.create(Object.prototype, {
  // A symbol: no member of a document can stand in its way.
  [Symbol.toPrimitive]: { value: shownObject, enumerable: false },
}) as object;

/** Makes the objects inside print as `shownValue` does; changes the value it is given. */
export function printableValue<Value extends Json>(value: Value): Value {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) for (const item of value) printableValue(item);
  else {
    Object.setPrototypeOf(value, printable);
    for (const name in value) if (Object.hasOwn(value, name)) printableValue((value as JsonObject)[name]!);
  }
  return value;
}

/** Cut to so many bytes of UTF-8, never within a character. */
export function truncateBytes(text: string, bytesMax: number): string {
  // A character takes three bytes at most for each of its units.
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
