/**
 * Editing documents by a function: a script in the interface's language (Rhai) is compiled once and run over each
 * document. This is the whole face of the folder; scripts can reach the document, the context, and nothing else.
 */

import { ByteSink } from "../json/bytes.ts";

import { JsonCursor } from "../json/cursor.ts";
import type { Json } from "../json/value.ts";
import { limits } from "../limits.ts";
import { runScript } from "./interpreter.ts";
import { readValue, writeValue } from "./json.ts";
import { parseScript } from "./parser.ts";
import { EditProblem, type Script } from "./syntax.ts";
import type { Value } from "./values.ts";

/** A script that compiles. */
export interface EditProgram {
  readonly script: Script;
}

export type EditOutcome =
  | { kind: "unchanged" }
  /** The members come in no particular order: store them as any new version. */
  | { kind: "edited"; document: Uint8Array }
  | { kind: "deleted" }
  | { kind: "failed"; problem: string };

const cursor = new JsonCursor();
/** The document as JSON, before and after the run. */
const before = new ByteSink();
const out = new ByteSink();

/** The program, or why the source is none. */
export function compileEdit(source: string): EditProgram | { problem: string } {
  if (source.length > limits.scriptUnits) {
    return { problem: `it has ${source.length} characters, more than the ${limits.scriptUnits} that are accepted` };
  }
  try {
    return { script: parseScript(source) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** Runs the program over one stored document. `context` is what the request gives under that name. */
export function runEdit(program: EditProgram, document: Uint8Array, context: Json): EditOutcome {
  try {
    const doc = valueFrom(document);
    before.reset();
    writeValue(doc, before);
    const after = runScript(program.script, doc, valueFrom(new TextEncoder().encode(JSON.stringify(context))));
    if (after === null) return { kind: "deleted" };
    if (!(after instanceof Map))
      return { kind: "failed", problem: "the document must be an object, or () to delete it" };
    out.reset();
    writeValue(after, out);
    if (Buffer.compare(out.view(), before.view()) === 0) return { kind: "unchanged" };
    return { kind: "edited", document: out.copy() };
  } catch (error) {
    return { kind: "failed", problem: reasonOf(error) };
  }
}

function valueFrom(json: Uint8Array): Value {
  cursor.reset(json, 0, json.length);
  return readValue(cursor, cursor.next());
}

/** A RangeError here is the stack or a size of the language itself: the script's fault, like any other problem of it. */
function reasonOf(error: unknown): string {
  if (error instanceof EditProblem) return error.message;
  if (error instanceof RangeError) return "the function needs too much memory or nests too deeply";
  throw error;
}
