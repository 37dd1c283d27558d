/**
 * Tells the webhooks what became of a batch: one POST each, the finished tasks as gzipped lines of JSON. Best effort:
 * a bounded time, no second try, and a failure is a line in the log.
 */
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Log } from "../../log/log.ts";
import type { WebhookRecord } from "../../store/store.ts";

const DELIVERY_MS_MAX = 30_000;

/** `lines` is asked anew for each webhook, so that a large batch is never held as text. */
export async function deliver(
  webhooks: Iterable<WebhookRecord>,
  lines: () => Iterable<string>,
  log: Log,
  post: typeof fetch = fetch,
): Promise<void> {
  await Promise.all(
    [...webhooks].map(async ({ url, headers }) => {
      try {
        const body = Readable.from(lines()).pipe(createGzip());
        const answer = await post(url, {
          method: "POST",
          headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip", ...headers },
          body: Readable.toWeb(body) as unknown as ReadableStream,
          duplex: "half",
          // A redirect could lead the tasks, and the secrets in the headers, to a place nobody configured.
          redirect: "manual",
          signal: AbortSignal.timeout(DELIVERY_MS_MAX),
        } as RequestInit);
        await answer.body?.cancel();
        if (!answer.ok)
          log.warn("webhooks", "a webhook refused its tasks", { url: origin(url), status: answer.status });
      } catch (error) {
        log.warn("webhooks", "a webhook could not be reached", { url: origin(url), cause: (error as Error).message });
      }
    }),
  );
}

/** Paths and queries of webhooks often carry a secret. */
function origin(url: string): string {
  return new URL(url).origin;
}
