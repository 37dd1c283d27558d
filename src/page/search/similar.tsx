/** Documents that mean about the same as a hit. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, indexPath } from "../api/client.ts";
import { problemOf, type RequestProblem } from "../api/problem.ts";
import type { SearchAnswer } from "../api/types.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { titleOf } from "./look.ts";
import { embedder, embedderNames, index } from "./state.ts";

const LIMIT = 10;

export function SimilarDialog({ id, onClose }: { id: string | number; onClose(): void }) {
  const found = useSignal<SearchAnswer | null>(null);
  const problem = useSignal<RequestProblem | null>(null);
  useEffect(() => {
    const body = { id, embedder: embedder.value || embedderNames.value[0]!, limit: LIMIT, showRankingScore: true };
    ask<SearchAnswer>("POST", indexPath(index.value, "/similar"), { body }).then(
      (answer) => {
        found.value = answer;
      },
      (error) => {
        problem.value = problemOf(error);
      },
    );
  }, [id]);
  return (
    <Dialog title={`Like document ${id}`} onClose={onClose}>
      <Problem problem={problem.value} />
      {found.value === null && problem.value === null && <Loading what="similar documents" />}
      <ol class="similar">
        {found.value?.hits.map((hit, place) => (
          <li key={`${place}`}>
            {titleOf(hit)} <span class="count">{hit._rankingScore?.toFixed(3)}</span>
          </li>
        ))}
      </ol>
      {found.value?.hits.length === 0 && <p>No other document has a vector like it.</p>}
    </Dialog>
  );
}
