/** How the page says that something is empty, under way, or went wrong, and what to do about it. */
import type { ComponentChildren } from "preact";
import { type RequestProblem, wantsKey } from "../api/problem.ts";

export function Problem({ problem }: { problem: RequestProblem | null }) {
  if (problem === null) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      {wantsKey(problem) && <p>Enter a key that may do this: the button “Key” is at the top of the page.</p>}
      {problem.code !== "unknown" && problem.code !== "unreachable" && <p class="quiet">{problem.code}</p>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="quiet" role="status">
      Loading {what}…
    </p>
  );
}
