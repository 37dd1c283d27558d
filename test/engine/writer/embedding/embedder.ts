/**
 * An embedding service for tests: a text becomes the sum of vectors that its words stand for, so that texts with common
 * words are near each other. It remembers what it was asked, and can be slow, or fail, when a test wants it to.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";

export const DIMENSIONS = 8;

/** The same word always gives the same numbers. */
function wordVector(word: string, dimensions: number): number[] {
  let state = 2166136261;
  for (const letter of word) state = Math.imul(state ^ letter.codePointAt(0)!, 16777619);
  return Array.from({ length: dimensions }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((state >>> 0) % 2001) / 1000 - 1;
  });
}

export function vectorOf(text: string, dimensions = DIMENSIONS): number[] {
  const sum = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    for (const [i, number] of wordVector(word, dimensions).entries()) sum[i]! += number;
  }
  // JSON has no negative zero, so that it would come back as another number than was expected.
  return sum.map((number) => Math.fround(Math.round(number * 1000) / 1000) + 0);
}

export class TestEmbedder {
  /** Every input, in the order of arrival. Fragments as JSON. */
  asked: string[] = [];
  delayMs = 0;
  /** Answers with this status instead of vectors. */
  failure: number | null = null;
  /** Only where a text is like this. */
  failsOn = /^/;
  dimensions = DIMENSIONS;
  #server!: http.Server;
  #waiting: (() => void)[] | null = null;

  static async start(): Promise<TestEmbedder> {
    const embedder = new TestEmbedder();
    embedder.#server = http.createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => void embedder.#answer(body, response));
    });
    await new Promise<void>((resolve) => embedder.#server.listen(0, "127.0.0.1", resolve));
    return embedder;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/embed`;
  }

  /** Settings of a REST embedder that asks this service. */
  settings(changes: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      source: "rest",
      url: this.url,
      request: { input: ["{{text}}", "{{..}}"] },
      response: { data: [{ embedding: "{{embedding}}" }, "{{..}}"] },
      dimensions: DIMENSIONS,
      ...changes,
    };
  }

  /** What was asked since the last call, in alphabetical order: requests run side by side. */
  takeAsked(): string[] {
    const asked = this.asked.sort();
    this.asked = [];
    return asked;
  }

  /** From now on requests get no answer until `release`. */
  hold(): void {
    this.#waiting = [];
  }

  release(): void {
    for (const resume of this.#waiting ?? []) resume();
    this.#waiting = null;
  }

  async stop(): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(body: string, response: http.ServerResponse): Promise<void> {
    const { input } = JSON.parse(body) as { input: unknown };
    const inputs = Array.isArray(input) ? input : [input];
    const texts = inputs.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
    this.asked.push(...texts);
    const waiting = this.#waiting;
    if (waiting !== null) await new Promise<void>((resume) => waiting.push(resume));
    if (this.delayMs > 0) await new Promise((resume) => setTimeout(resume, this.delayMs));
    const failure = texts.some((text) => this.failsOn.test(text)) ? this.failure : null;
    response.statusCode = failure ?? 200;
    response.setHeader("content-type", "application/json");
    const data = texts.map((text) => ({ embedding: vectorOf(text, this.dimensions) }));
    response.end(JSON.stringify(failure === null ? { data } : { error: "not today" }));
  }
}
