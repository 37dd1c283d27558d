/** Running edit scripts in tests. */

import assert from "node:assert/strict";
import type { Json } from "../../../src/base/json/value.ts";
import { compileEdit, type EditOutcome, runEdit } from "../../../src/base/script/edit.ts";

export function run(source: string, doc: Json, context: Json = null): EditOutcome {
  const program = compileEdit(source);
  if ("problem" in program) assert.fail(`${source}: ${program.problem}`);
  return runEdit(program, new TextEncoder().encode(JSON.stringify(doc)), context);
}

/** The edited document, as text. */
export function edited(source: string, doc: Json, context: Json = null): string {
  const outcome = run(source, doc, context);
  if (outcome.kind === "unchanged") return JSON.stringify(doc);
  assert.equal(outcome.kind, "edited", `${source}: ${JSON.stringify(outcome)}`);
  return outcome.kind === "edited" ? new TextDecoder().decode(outcome.document) : "";
}

/** What an expression gives, by way of a field. */
export function resultOf(expression: string, doc: Json = {}): Json {
  return JSON.parse(edited(`doc.result = ${expression};`, doc)).result;
}

export function failure(source: string, doc: Json = { id: 1 }): string {
  const outcome = run(source, doc);
  assert.equal(outcome.kind, "failed", source);
  return outcome.kind === "failed" ? outcome.problem : "";
}
