/** The lines under the head of the page that tell the reader what became of his changes. */
import { dismiss, notices } from "../state/notices.ts";

export function Notices() {
  return (
    <div class="notices" role="log" aria-label="Messages">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice row ${kind}`}>
          <p class="grow">{text}</p>
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
