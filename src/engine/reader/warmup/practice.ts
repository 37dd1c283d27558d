/** Requests that nobody sent, answered the way real ones are; only the ring and what is kept are its own. */
import type { Catalog } from "../../../storage/index/catalog.ts";
import { AnswerCache } from "../../cache/answer-cache.ts";
import { AnswerWriter, WakeFlag } from "../../link/answers.ts";
import { decodeRequest } from "../../link/requests.ts";
import { ByteRing } from "../../link/ring.ts";
import { Slots } from "../../link/slots.ts";
import { ServedRequest } from "../served.ts";
import type { Handler, Handlers, Reply } from "../task.ts";

const RING_BYTES = 1 << 20;
/** Nobody else makes room in the ring, so that longer ones would wait in it for ever. */
const ANSWER_BYTES_MAX = RING_BYTES / 2;
/** Size of its answer cache: small enough that most requests are computed, large enough that some are found. */
const KEPT_BYTES = 1 << 18;

export class Practice {
  readonly #handlers: Handlers;
  readonly #ring = ByteRing.create(RING_BYTES);
  readonly #answers = new AnswerWriter(this.#ring, new WakeFlag(), () => {});
  /** As readers have them: code that has seen anything else is compiled anew for them. */
  readonly #slots = new Slots();
  readonly #kept = new AnswerCache(KEPT_BYTES);
  readonly #degraded = new Int32Array(new SharedArrayBuffer(4));

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  /** Throws what the handler throws. */
  async ask(request: Uint8Array, catalog: Pick<Catalog, "pin">): Promise<Reply> {
    this.#ring.push(request, null);
    const { id, kind, header, payload } = decodeRequest(this.#ring.take()!);
    const served = new ServedRequest({ catalog, slots: this.#slots, kept: this.#kept, degraded: this.#degraded }, 0);
    try {
      // As in the loop: the compiler cannot follow a kind known only at run time.
      const reply = await (this.#handlers[kind] as Handler<typeof kind>)(header, payload, served);
      if (reply.body.length > ANSWER_BYTES_MAX) return reply;
      this.#answers.write(id, reply, reply.body);
      for (let piece = this.#ring.take(); piece !== null; piece = this.#ring.take());
      return reply;
    } finally {
      served.release();
    }
  }
}
