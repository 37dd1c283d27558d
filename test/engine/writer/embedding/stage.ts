/** A server that may call the embedding service beside it, and what it shows of the vectors of documents. */
import assert from "node:assert/strict";
import { type Task, TestServer } from "../../../lib/server.ts";
import { DIMENSIONS, TestEmbedder, vectorOf } from "./embedder.ts";

/** Lets a server call services on its own machine. */
export const REACH_ALL = ["--experimental-allowed-ip-networks", "any"];
/** A vector as a client may give it. */
export const GIVEN = Array.from({ length: DIMENSIONS }, (_, i) => i);

export interface Stage {
  server: TestServer;
  embedder: TestEmbedder;
}

export async function openStage(features: Record<string, boolean>, env: Record<string, string> = {}): Promise<Stage> {
  const embedder = await TestEmbedder.start();
  const server = await TestServer.start({ args: REACH_ALL, env });
  await server.request("PATCH", "/experimental-features", features);
  return { server, embedder };
}

export async function closeStage({ server, embedder }: Stage): Promise<void> {
  await server.dispose();
  await embedder.stop();
}

/** Vectors of one embedder as a document is shown with them. */
export interface Shown {
  embeddings: number[][];
  regenerate: boolean;
}

export async function shownVectors(server: TestServer, uid: string, id: number): Promise<Record<string, Shown>> {
  const path = `/indexes/${uid}/documents/${id}?retrieveVectors=true`;
  const { body } = await server.request<{ _vectors: Record<string, Shown> }>("GET", path);
  return body._vectors;
}

/** What a document with this text is shown with. */
export function made(text: string): Shown {
  return { embeddings: [vectorOf(text)], regenerate: true };
}

export function succeeded(task: Task): void {
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
}
