/** Shared files, and how many bytes of them came and went in how much time. */
import { statSync } from "node:fs";
import type { Blob, Blobs } from "./blobs.ts";

export interface Traffic {
  files: number;
  bytes: number;
  seconds: number;
}

export class MeasuredBlobs implements Blobs {
  readonly sent: Traffic = { files: 0, bytes: 0, seconds: 0 };
  readonly brought: Traffic = { files: 0, bytes: 0, seconds: 0 };
  readonly #blobs: Blobs;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  get place(): string {
    return this.#blobs.place;
  }

  async put(name: string, file: string): Promise<void> {
    await measured(this.sent, file, () => this.#blobs.put(name, file));
  }

  async get(name: string, file: string, how?: { isOwn: boolean }): Promise<void> {
    await measured(this.brought, file, () => this.#blobs.get(name, file, how));
  }

  list(prefix: string): Promise<Blob[]> {
    return this.#blobs.list(prefix);
  }

  remove(name: string): Promise<void> {
    return this.#blobs.remove(name);
  }

  close(): void {
    this.#blobs.close();
  }
}

/** What another thread has sent or brought. */
export function addTraffic(to: Traffic, more: Traffic): void {
  to.files += more.files;
  to.bytes += more.bytes;
  to.seconds += more.seconds;
}

async function measured(traffic: Traffic, file: string, move: () => Promise<void>): Promise<void> {
  const since = performance.now();
  await move();
  // One that is gone already was wanted by nobody any more.
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  addTraffic(traffic, { files: 1, bytes, seconds: (performance.now() - since) / 1000 });
}
