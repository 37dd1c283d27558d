/** What was asked, to be pasted into a terminal or a program. */

import { CodeBlock } from "../parts/code-block.tsx";
import { key } from "../state/key.ts";
import { clientCodeOf, curlOf } from "./code.ts";
import { plainRequest } from "./request.ts";
import { index, wanted } from "./state.ts";

export function RequestCode() {
  const target = { origin: location.origin, index: index.value, hasKey: key.value !== "" };
  const body = plainRequest(wanted.value);
  return (
    <details class="code">
      <summary>This search as code</summary>
      <CodeBlock title="curl" text={curlOf(target, body)} />
      <CodeBlock title="JavaScript" text={clientCodeOf(target, body)} />
    </details>
  );
}
