/** Reads server-sent events of a real answer, one at a time. */
import { within } from "./patience.ts";

interface SeenEvent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of any shape
  data: any;
}

export class EventReader {
  readonly response: Response;
  /** Of the last event, also of one that only said where the stream stands. */
  lastId = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #stop: AbortController;
  #text = "";

  private constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#reader = response.body!.getReader();
    this.#stop = stop;
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const stop = new AbortController();
    return new EventReader(await fetch(url, { headers, signal: stop.signal }), stop);
  }

  /** Null at the end of the stream; passes over what is no event. */
  async next(): Promise<SeenEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end < 0) {
        const { value, done } = await within(this.#reader.read(), () => `an event after ${this.lastId}`);
        if (done) return null;
        this.#text += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const fields = new Map(
        lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      this.lastId = fields.get("id") ?? this.lastId;
      const data = fields.get("data");
      if (data !== undefined) return { id: this.lastId, event: fields.get("event") ?? "", data: JSON.parse(data) };
    }
  }

  /** The next event that says so. */
  async until(isWanted: (event: SeenEvent) => boolean): Promise<SeenEvent> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error("the stream ended before");
      if (isWanted(event)) return event;
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
