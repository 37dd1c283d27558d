/** A body that is put together piece by piece: a string while it is short, else bytes, which are copied while others are heard. */
import { KIB } from "../../base/limits.ts";
import type { Piece } from "../../storage/tasks/views.ts";
import { gathered } from "./gathered.ts";

/** Text that is encoded at once: to encode all of a long one takes milliseconds. */
const ENCODED_UNITS = 64 * KIB;

export class BodyPieces {
  readonly #bytes: Uint8Array[] = [];
  #text = "";

  add(piece: Piece): void {
    if (typeof piece === "string") {
      this.#text += piece;
      if (this.#text.length >= ENCODED_UNITS) this.#encode();
    } else {
      this.#encode();
      this.#bytes.push(piece);
    }
  }

  whole(): string | Promise<Uint8Array> {
    if (this.#bytes.length === 0) return this.#text;
    this.#encode();
    return gathered(this.#bytes);
  }

  #encode(): void {
    if (this.#text !== "") this.#bytes.push(Buffer.from(this.#text));
    this.#text = "";
  }
}
