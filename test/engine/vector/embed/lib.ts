/** A provider on this machine, and the surroundings of an embedder, for the tests of this folder. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Json, JsonObject } from "../../../../src/base/json/value.ts";
import { AddressPolicy } from "../../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../../src/base/net/outgoing.ts";

import { createEmbedder, requestTurns } from "../../../../src/engine/vector/embed/create.ts";
import type {
  Embedder,
  EmbedEnvironment,
  EmbedInput,
  EmbedOptions,
} from "../../../../src/engine/vector/embed/embedder.ts";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
}

/** An answer as JSON, or whatever the response is made to do. */
export type Reply = { status?: number; json: Json } | ((response: ServerResponse, request: IncomingMessage) => void);

interface Provider {
  url: string;
  received: Received[];
  /** Resolves when so many requests have come. */
  cameTo(count: number): Promise<void>;
}

export async function startProvider(t: TestContext, reply: (asked: Received, nth: number) => Reply): Promise<Provider> {
  const received: Received[] = [];
  const waiting: { count: number; resolve(): void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const asked = { path: request.url!, headers: request.headers, body };
      received.push(asked);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      const answer = reply(asked, received.length);
      if (typeof answer === "function") answer(response, request);
      else response.writeHead(answer.status ?? 200).end(JSON.stringify(answer.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    cameTo: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
  };
}

/** Vectors that tell texts apart. */
export function vectorFor(text: string): number[] {
  return [text.length, text.charCodeAt(0), 1];
}

export function texts(...all: string[]): EmbedInput[] {
  return all.map((text) => ({ text, fragment: null }));
}

export function plain(vectors: readonly Float32Array[]): number[][] {
  return vectors.map((vector) => [...vector]);
}

export function environment(t: TestContext, change: Partial<EmbedEnvironment> = {}): EmbedEnvironment {
  const outgoing = new Outgoing(new AddressPolicy(["127.0.0.1"]));
  const operatorsOutgoing = new Outgoing(new AddressPolicy(["any"]));
  t.after(() => {
    outgoing.close();
    operatorsOutgoing.close();
  });
  return {
    outgoing,
    operatorsOutgoing,
    modelsDir: null,
    download: null,
    openAiKey: null,
    openAiKeyOrigins: [],
    ollamaUrl: null,
    requestTimeoutMs: 5000,
    retryMsMax: 5000,
    ...change,
  };
}

export function embedderFor(t: TestContext, settings: JsonObject, change: Partial<EmbedEnvironment> = {}): Embedder {
  return createEmbedder(settings, environment(t, change), requestTurns());
}

export function forDocuments(change: Partial<EmbedOptions> = {}): EmbedOptions {
  return { purpose: "documents", signal: new AbortController().signal, deadline: null, ...change };
}

/** Of a server that takes several texts at once. */
export function restSettings(url: string, change: JsonObject = {}): JsonObject {
  return {
    source: "rest",
    url,
    request: { input: ["{{text}}", "{{..}}"] },
    response: { data: [{ embedding: "{{embedding}}" }, "{{..}}"] },
    ...change,
  };
}

/** What such a server answers. */
export function restReply({ body }: Received): Reply {
  return { json: { data: (body["input"] as string[]).map((text) => ({ embedding: vectorFor(text) })) } };
}

/** A promise and what settles it. */
export function promised<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
