/** Somebody who follows the tasks of an index, goes away, and comes back for what he missed. */
import http from "node:http";

const EVENT_END = "\n\n";

export class Stream {
  /** Tasks that ended well, as he heard. */
  readonly finished = new Set<number>();
  readonly #url: string;
  readonly #agent: http.Agent;
  #request: http.ClientRequest | null = null;
  #lastId = "";
  #wanted: { uid: number; resolve(): void } | null = null;

  constructor(url: string, agent: http.Agent) {
    this.#url = url;
    this.#agent = agent;
  }

  /** Resolves when the server has said where the stream stands. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = this.#lastId === "" ? {} : { "last-event-id": this.#lastId };
      const request = http.get(this.#url, { agent: this.#agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          const events = (text + chunk).split(EVENT_END);
          text = events.pop()!;
          for (const event of events) this.#hear(event);
          resolve();
        });
        // Nobody listens after he has gone away.
        response.on("error", () => {});
      });
      request.on("error", reject);
      this.#request = request;
    });
  }

  close(): void {
    this.#request?.destroy();
  }

  hasSeen(uid: number): Promise<void> {
    if (this.finished.has(uid)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wanted = { uid, resolve };
    });
  }

  #hear(event: string): void {
    this.#lastId = /^id: (\S+)$/m.exec(event)?.[1] ?? this.#lastId;
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return;
    const { uid, status } = JSON.parse(data) as { uid: number; status: string };
    if (status === "succeeded") this.finished.add(uid);
    if (this.#wanted !== null && this.finished.has(this.#wanted.uid)) this.#wanted.resolve();
  }
}
