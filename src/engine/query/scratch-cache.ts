/**
 * Memory for what one search finds out about a segment and later ones need again: pieces of the stack are moved to a part
 * of the workspace that lasts. What was not used for longest makes room for what is new, and what nobody can ask for any
 * more is forgotten with what it was about: pages of memory that were touched once are never given back.
 */

import { FreeSpace } from "../../storage/memory/free-space.ts";
import { WORKSPACE_ALIGNMENT, type Workspace } from "../../storage/memory/workspace.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Of a workspace, for what is kept. */
const KEPT_SHARE = 2;
/** Kernels read, and do not use, a few bytes behind the last places. */
const MARGIN = 64;
/** Tables that were not made, remembered in case they are asked for again. */
const WANTED_MAX = 1000;

/** Bytes of the stack. */
export interface Piece {
  at: number;
  bytes: number;
}

/** What is kept is about a segment, or about a state of an index. */
type Subject = SegmentReader | Vocabulary;

interface Kept {
  about: Subject;
  addresses: readonly number[];
  offset: number;
  bytes: number;
}

export class ScratchCache {
  static readonly #stores = new WeakMap<Workspace, ScratchCache>();
  readonly #workspace: Workspace;
  /** All that can be kept. */
  readonly bytes: number;
  readonly #space: FreeSpace;
  /** Most recently used last. */
  readonly #kept = new Map<string, Kept>();
  readonly #keptAbout = new WeakMap<Subject, Set<string>>();
  readonly #wanted = new Map<string, number>();
  readonly #names = new WeakMap<SegmentReader, number>();
  #named = 0;

  private constructor(workspace: Workspace) {
    this.#workspace = workspace;
    const bytes = Math.floor((workspace.end - workspace.start) / KEPT_SHARE);
    this.bytes = bytes;
    const begin = workspace.split(bytes);
    this.#space = new FreeSpace(Math.ceil(begin / 64) * 64, begin + bytes - MARGIN);
  }

  static of(workspace: Workspace): ScratchCache {
    let store = ScratchCache.#stores.get(workspace);
    if (store === undefined) {
      store = new ScratchCache(workspace);
      ScratchCache.#stores.set(workspace, store);
    }
    return store;
  }

  /** Forgets everything about a segment that is gone, or a state of an index that is over. */
  static forget(workspace: Workspace, about: Subject): void {
    const store = ScratchCache.#stores.get(workspace);
    if (store === undefined) return;
    for (const name of store.#keptAbout.get(about) ?? []) store.#drop(name);
  }

  /** A name that no other segment has. */
  nameOf(reader: SegmentReader, name: string): string {
    let number = this.#names.get(reader);
    if (number === undefined) {
      number = this.#named++;
      this.#names.set(reader, number);
    }
    return `${number}${name}`;
  }

  /** Where the pieces are that were kept by that name; null when there are none. */
  find(name: string): readonly number[] | null {
    const known = this.#kept.get(name);
    if (known === undefined) return null;
    this.#kept.delete(name);
    this.#kept.set(name, known);
    return known.addresses;
  }

  has(name: string): boolean {
    return this.#kept.has(name);
  }

  /** How often something was looked for and not made, this time included. */
  timesWanted(name: string): number {
    const times = (this.#wanted.get(name) ?? 0) + 1;
    if (this.#wanted.size >= WANTED_MAX) this.#wanted.clear();
    this.#wanted.set(name, times);
    return times;
  }

  /** Address of bytes kept by a name, whatever they hold; null when there is no room, however much is forgotten. */
  reserve(about: Subject, name: string, bytes: number): number | null {
    const offset = this.#allocate(bytes);
    if (offset >= 0) this.#add(name, { about, addresses: [offset], offset, bytes });
    return offset < 0 ? null : offset;
  }

  /** Moves pieces out of the stack; null when there is no room for them, however much is forgotten. */
  keep(about: Subject, name: string, pieces: readonly Piece[]): readonly number[] | null {
    const bytes = pieces.reduce((sum, piece) => sum + aligned(piece.bytes), 0);
    const offset = this.#allocate(bytes);
    if (offset < 0) return null;
    let to = offset;
    const addresses = pieces.map((piece) => {
      const at = to;
      this.#workspace.u8.copyWithin(at, piece.at, piece.at + piece.bytes);
      to += aligned(piece.bytes);
      return at;
    });
    this.#add(name, { about, addresses, offset, bytes });
    this.#wanted.delete(name);
    return addresses;
  }

  #add(name: string, kept: Kept): void {
    this.#kept.set(name, kept);
    const names = this.#keptAbout.get(kept.about);
    if (names === undefined) this.#keptAbout.set(kept.about, new Set([name]));
    else names.add(name);
  }

  #drop(name: string): void {
    const { about, bytes, offset } = this.#kept.get(name)!;
    this.#kept.delete(name);
    this.#keptAbout.get(about)!.delete(name);
    this.#space.free(offset, bytes);
  }

  /** Negative when it cannot be. */
  #allocate(bytes: number): number {
    let offset = this.#space.allocate(bytes);
    for (const oldest of this.#kept.keys()) {
      if (offset >= 0) break;
      this.#drop(oldest);
      offset = this.#space.allocate(bytes);
    }
    return offset;
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
}
