/**
 * Tells the webhooks what became of a batch: one POST each, the finished tasks as gzipped lines of JSON. Best effort:
 * a bounded time, no second try, and a failure is a line in the log.
 */
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Log } from "../../../base/log/log.ts";
import { askedHeaders } from "../../../base/net/asked-headers.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";
import type { WebhookRecord } from "../../../storage/store/store.ts";

const DELIVERY_MS_MAX = 30_000;
/** Nobody reads what a webhook answers. */
const ANSWER_BYTES_MAX = 1024;

/** `lines`, in pieces, is asked anew for each webhook, so that a large batch is never held as text. */
export async function deliver(
  webhooks: Iterable<WebhookRecord>,
  lines: () => Iterable<string | Uint8Array>,
  log: Log,
  outgoing: Pick<Outgoing, "send">,
): Promise<void> {
  const told: Promise<void>[] = [];
  for (const { url, headers } of [...webhooks]) {
    const tell = async (): Promise<void> => {
      try {
        const { status } = await outgoing.send({
          method: "POST",
          url,
          headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip", ...askedHeaders(headers) },
          body: Readable.from(compressed(lines)),
          timeoutMs: DELIVERY_MS_MAX,
          answerBytesMax: ANSWER_BYTES_MAX,
        });
        if (status < 200 || status > 299)
          log.warn("webhooks", "a webhook refused its tasks", { url: origin(url), status });
      } catch (error) {
        log.warn("webhooks", "a webhook could not be reached", { url: origin(url), cause: (error as Error).message });
      }
    };
    told.push(tell());
    // Each may have headers as long as heads may be: to begin with all of them at once takes tens of milliseconds.
    await new Promise((resume) => setImmediate(resume));
  }
  await Promise.all(told);
}

/**
 * Nothing of it is made before somebody reads it: a compressor takes a quarter of a megabyte, and one that is refused its address would
 * keep it until the next collection of garbage.
 */
async function* compressed(lines: () => Iterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  // What goes wrong with a line ends the compressor, and so the call; a pipe alone would leave both waiting.
  yield* pipeline(Readable.from(lines()), createGzip(), () => {});
}

/** Paths and queries of webhooks often carry a secret. */
function origin(url: string): string {
  return new URL(url).origin;
}
