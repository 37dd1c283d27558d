/** Where files of documents are dropped, or picked. */
import { useSignal } from "@preact/signals";
import { problemOf } from "../api/problem.ts";
import { bytesText } from "../parts/format.ts";
import { follow, tell } from "../state/notices.ts";
import { upload } from "./upload.ts";

interface Sending {
  name: string;
  sent: number;
  size: number;
}

export function DropZone({ uid, onDone }: { uid: string; onDone(): void }) {
  const sending = useSignal<Sending | null>(null);
  const isOver = useSignal(false);
  const take = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const { name, size } = file;
      try {
        sending.value = { name, sent: 0, size };
        const tasks = await upload(uid, file, (sent) => {
          sending.value = { name, sent, size };
        });
        sending.value = null;
        await Promise.all(tasks.map((task) => follow(name, task)));
      } catch (error) {
        tell("bad", `${name}: ${problemOf(error).message}`);
      }
      sending.value = null;
    }
    onDone();
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    void take([...(event.dataTransfer?.files ?? [])]);
  };
  const over = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = true;
  };
  const leave = (): void => {
    isOver.value = false;
  };
  return (
    <section
      class={`drop ${isOver.value ? "over" : ""}`}
      aria-label="Upload"
      onDrop={drop}
      onDragOver={over}
      onDragLeave={leave}
    >
      <label class="field">
        <span>Drop files of documents here (JSON, NDJSON, CSV), or pick them</span>
        <input
          type="file"
          multiple
          accept=".json,.ndjson,.jsonl,.csv"
          onChange={(event) => {
            void take([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
      </label>
      {sending.value !== null && (
        <p role="status">
          {sending.value.name}: {bytesText(sending.value.sent)} of {bytesText(sending.value.size)}
          <progress
            max={sending.value.size}
            value={sending.value.sent}
            aria-label={`Upload of ${sending.value.name}`}
          />
        </p>
      )}
    </section>
  );
}
