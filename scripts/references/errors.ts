// The reference of errors: every code with its status, its family and its meaning. Codes of a field are told by the fields
// that the descriptions of requests give them to.

import { ROUTES } from "../../src/base/contract/routes.ts";
import type { Schema } from "../../src/base/contract/schema.ts";
import { CATALOGUE } from "../../src/base/errors/codes.ts";
import type { ErrorCode } from "../../src/base/errors/errors.ts";
import { MEANINGS, NEVER_GIVEN } from "./error-words.ts";
import { code, codes, page, table } from "./markdown.ts";

/** How a field can be wrong. */
type Fault = "refused" | "missing" | "immutable";

interface Fields {
  fault: Fault;
  names: Set<string>;
}

/** What validation reads of a schema. */
interface Node {
  code?: ErrorCode;
  missing?: ErrorCode;
  immutable?: Record<string, ErrorCode>;
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  anyOf?: Node[];
  items?: Node;
}

export function errorsReference(): string {
  const fields = fieldsByCode();
  return page(
    "Errors",
    'An error is answered as `{ "message", "code", "type", "link" }`, and so it stands in `error` of a task that failed. The message ' +
      "says what was wrong and where; programs should look at the code. The types are `invalid_request` (ask otherwise), `auth` (ask " +
      "with another key), `system` (the machine or another server is in the way) and `internal` (the server is at fault).",
    table(
      ["code", "status", "type", "meaning"],
      Object.entries(CATALOGUE)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { status, type }]) => [
          code(name),
          String(status),
          code(type),
          meaning(name as ErrorCode, fields.get(name as ErrorCode)),
        ]),
    ),
  );
}

function meaning(name: ErrorCode, fields: Fields | undefined): string {
  const told = MEANINGS[name];
  if (told !== undefined) return told;
  if (NEVER_GIVEN.includes(name)) return "Part of the interface; this server does not answer with it";
  const setting = /^invalid_settings_/.test(name);
  if (fields === undefined) throw new Error(`nobody says what ${name} means`);
  const names = codes([...fields.names]);
  if (setting) return `The setting ${names} is not as it should be`;
  if (fields.fault === "missing") return `${names} is missing`;
  return fields.fault === "immutable" ? `${names} cannot be changed` : `${names} is not as it should be`;
}

function fieldsByCode(): Map<ErrorCode, Fields> {
  const found = new Map<ErrorCode, Fields>();
  const note = (error: ErrorCode | undefined, fault: Fault, field: string): void => {
    if (error === undefined || field === "") return;
    const fields = found.get(error) ?? { fault, names: new Set() };
    found.set(error, fields);
    fields.names.add(field);
  };
  // A code that counts for a value counts for what lies in it: only the place where it is set is told.
  const walk = ({ code: own, missing, immutable, ...node }: Node, field: string): void => {
    note(own, "refused", field);
    note(missing, "missing", field);
    for (const [name, error] of Object.entries(immutable ?? {})) note(error, "immutable", name);
    for (const [name, below] of Object.entries(node.properties ?? {})) walk(below, name);
    for (const below of [...(node.anyOf ?? []), ...Object.values(node.patternProperties ?? {})]) walk(below, field);
    if (node.items) walk(node.items, field);
  };
  for (const { query, body } of ROUTES) {
    for (const [name, param] of Object.entries(query ?? {})) {
      note(param.code, "refused", name);
      note(param.missing, "missing", name);
    }
    if (body) walk(body as Schema as Node, "");
  }
  return found;
}
