/** Text to be pasted elsewhere, with a button that copies it where the browser lets a page do so. */
import { useSignal } from "@preact/signals";

export function CodeBlock({ title, text }: { title: string; text: string }) {
  const copied = useSignal("");
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    copied.value = text;
  };
  return (
    <section aria-label={title}>
      <div class="row between">
        <h3>{title}</h3>
        {isSecureContext && (
          <button type="button" class="small" onClick={copy}>
            {copied.value === text ? "Copied" : "Copy"}
          </button>
        )}
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}
