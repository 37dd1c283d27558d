// What tests have to tell, as one JSON record a line for the runner. A record starts with a character that
// tests do not print, since their own output goes the same way.
import { inspect } from "node:util";

export const RECORD = "\u001e";

/** Failures that only repeat those of the tests inside. */
const REPEATED = "subtestsFailed";

function recordOf({ type, data }) {
  if (type === "test:dequeue") return { type: "begun", name: data.name };
  if (type !== "test:pass" && type !== "test:fail") return null;
  const { name, file, details, skip, todo } = data;
  const reason = typeof skip === "string" ? skip : undefined;
  if (details.type === "suite") return { type: "suites", name, reason };
  if (skip !== undefined) return { type: "skipped", name, reason };
  if (todo !== undefined) return { type: "todo", name };
  if (type === "test:pass") return { type: "pass", name };
  const { error } = details;
  const kind = error?.failureType === "cancelledByParent" ? "cancelled" : "fail";
  const text = error?.failureType === REPEATED ? "" : inspect(error?.cause ?? error, { colors: false });
  return { type: kind, name, file, text };
}

async function* reporter(source) {
  for await (const event of source) {
    const record = recordOf(event);
    if (record !== null) yield `\n${RECORD}${JSON.stringify(record)}\n`;
  }
}

// biome-ignore lint/style/noDefaultExport: node:test takes nothing else for a reporter.
export { reporter as default };
