/** From page to page of the hits. */
import { answer, page } from "./state.ts";

export function Paging() {
  const pages = answer.value?.totalPages ?? 0;
  if (pages <= 1) return null;
  const turn = (to: number): void => {
    page.value = to;
    scrollTo({ top: 0 });
  };
  return (
    <nav class="row center" aria-label="Pages of hits">
      <button type="button" disabled={page.value <= 1} onClick={() => turn(page.value - 1)}>
        ← Previous
      </button>
      <span>
        Page {page.value} of {pages.toLocaleString()}
      </span>
      <button type="button" disabled={page.value >= pages} onClick={() => turn(page.value + 1)}>
        Next →
      </button>
    </nav>
  );
}
