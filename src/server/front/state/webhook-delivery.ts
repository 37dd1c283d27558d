/**
 * Tells the webhooks what became of their tasks, as gzipped lines of JSON. Best effort: a bounded time, no second try, and a failure is a
 * line in the log. Each is told by one POST at a time. What ends meanwhile waits and goes with the next one together: who is slow to
 * answer is told less often, and holds one connection. With one for each batch, an address that did not answer held as many as there
 * were batches in thirty seconds, each with its tasks.
 */
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Log } from "../../../base/log/log.ts";
import { askedHeaders } from "../../../base/net/asked-headers.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";
import type { WebhookRecord } from "../../../storage/store/store.ts";

/** What is to be told. Its lines, in pieces, are asked anew for each webhook, so that a large batch is never held as text. */
export interface EndedTasks {
  count: number;
  lines(): Iterable<string | Uint8Array>;
}

const DELIVERY_MS_MAX = 30_000;
/** Nobody reads what a webhook answers. */
const ANSWER_BYTES_MAX = 1024;
/** So many tasks wait for one webhook at most, or those of one batch. */
const WAITING_TASKS_MAX = 10_000;

export class WebhookDelivery {
  readonly #log: Log;
  readonly #outgoing: Pick<Outgoing, "send">;
  readonly #receivers = new Map<string, Receiver>();

  constructor(log: Log, outgoing: Pick<Outgoing, "send">) {
    this.#log = log;
    this.#outgoing = outgoing;
  }

  /** `webhooks`: all that there are. Resolves when each of them was told, or will not be. */
  async tell(webhooks: readonly (readonly [uuid: string, webhook: WebhookRecord])[], ended: EndedTasks): Promise<void> {
    this.#forgetOthers(new Set(webhooks.map(([uuid]) => uuid)));
    const told: Promise<void>[] = [];
    for (const [uuid, webhook] of webhooks) {
      told.push(this.#receiver(uuid, webhook).tell(ended));
      // Each may have headers as long as heads may be: to begin with all of them at once takes tens of milliseconds.
      await new Promise((resume) => setImmediate(resume));
    }
    await Promise.all(told);
  }

  #receiver(uuid: string, webhook: WebhookRecord): Receiver {
    const receiver = this.#receivers.get(uuid) ?? new Receiver(webhook, this.#log, this.#outgoing);
    receiver.webhook = webhook;
    this.#receivers.set(uuid, receiver);
    return receiver;
  }

  #forgetOthers(uuids: ReadonlySet<string>): void {
    for (const [uuid, receiver] of this.#receivers) {
      if (uuids.has(uuid)) continue;
      receiver.forget();
      this.#receivers.delete(uuid);
    }
  }
}

/** One webhook, and what waits for it. */
class Receiver {
  webhook: WebhookRecord;
  readonly #log: Log;
  readonly #outgoing: Pick<Outgoing, "send">;
  #waiting: EndedTasks[] = [];
  #waitingTasks = 0;
  #missedTasks = 0;
  #telling: Promise<void> | null = null;

  constructor(webhook: WebhookRecord, log: Log, outgoing: Pick<Outgoing, "send">) {
    this.webhook = webhook;
    this.#log = log;
    this.#outgoing = outgoing;
  }

  tell(ended: EndedTasks): Promise<void> {
    if (this.#waiting.length > 0 && this.#waitingTasks + ended.count > WAITING_TASKS_MAX) {
      this.#missedTasks += ended.count;
    } else {
      this.#waiting.push(ended);
      this.#waitingTasks += ended.count;
    }
    this.#telling ??= this.#tellAll();
    return this.#telling;
  }

  /** It is no webhook any more. */
  forget(): void {
    this.#take();
  }

  async #tellAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await this.#post(this.#take());
        this.#warnOfMissed();
      }
    } finally {
      this.#telling = null;
    }
  }

  #take(): EndedTasks[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#waitingTasks = 0;
    return taken;
  }

  async #post(ended: readonly EndedTasks[]): Promise<void> {
    const { url, headers } = this.webhook;
    try {
      const { status } = await this.#outgoing.send({
        method: "POST",
        url,
        headers: { "content-type": "application/x-ndjson", "content-encoding": "gzip", ...askedHeaders(headers) },
        body: Readable.from(compressed(ended)),
        timeoutMs: DELIVERY_MS_MAX,
        answerBytesMax: ANSWER_BYTES_MAX,
      });
      if (status < 200 || status > 299) this.#warn("a webhook refused its tasks", { status });
    } catch (error) {
      this.#warn("a webhook could not be reached", { cause: (error as Error).message });
    }
  }

  /** Once for all that ended during a call: there may be a thousand batches. */
  #warnOfMissed(): void {
    if (this.#missedTasks > 0)
      this.#warn("a webhook is too slow to be told of all tasks", { missed: this.#missedTasks });
    this.#missedTasks = 0;
  }

  #warn(message: string, details: Record<string, string | number>): void {
    this.#log.warn("webhooks", message, { url: origin(this.webhook.url), ...details });
  }
}

/**
 * Nothing of it is made before somebody reads it: a compressor takes a quarter of a megabyte, and one that is refused its address would
 * keep it until the next collection of garbage.
 */
async function* compressed(ended: readonly EndedTasks[]): AsyncGenerator<Buffer> {
  // What goes wrong with a line ends the compressor, and so the call; a pipe alone would leave both waiting.
  yield* pipeline(Readable.from(linesOf(ended)), createGzip(), () => {});
}

function* linesOf(ended: readonly EndedTasks[]): Generator<string | Uint8Array> {
  for (const tasks of ended) yield* tasks.lines();
}

/** Paths and queries of webhooks often carry a secret. */
function origin(url: string): string {
  return new URL(url).origin;
}
