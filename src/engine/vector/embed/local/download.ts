/**
 * Brings a model from the hub into the models directory, in the layout of the hub's own cache. Every file is checked by
 * its checksum, and the model is there only when all of them are: files of a try before that are whole are not fetched again.
 */
import { createHash, type Hash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { cacheFolder, ONNX_FILES } from "./files.ts";
import type { HubFile, HubModel, ModelHub } from "./hub.ts";

/** What is read of a model besides its ONNX file. */
const NEEDED = ["tokenizer.json"];
const READ = [
  "modules.json",
  "1_Pooling/config.json",
  "sentence_bert_config.json",
  "tokenizer_config.json",
  "config.json",
];
/** Weights of large models lie beside the ONNX file. */
const WEIGHTS_SUFFIXES = ["_data", ".data"];

/** Names of models come from settings: none may fill the disk. */
const MODEL_BYTES_MAX = 8 * 2 ** 30;

/** How far a download is. */
export interface DownloadProgress {
  model: string;
  bytes: number;
  total: number;
}

export class ModelDownload {
  readonly #hub: ModelHub;
  readonly #show: (progress: DownloadProgress) => void;
  /** Under way, by folder. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(hub: ModelHub, show: (progress: DownloadProgress) => void) {
    this.#hub = hub;
    this.#show = show;
  }

  get from(): string {
    return this.#hub.url;
  }

  /** Resolves when the model lies in the directory; one download for all who want it. */
  async fetch(model: string, revision: string, modelsDir: string): Promise<void> {
    const key = `${cacheFolder(model, modelsDir)} ${revision}`;
    const running = this.#running.get(key) ?? this.#fetch(model, revision, modelsDir);
    this.#running.set(key, running);
    try {
      await running;
    } finally {
      this.#running.delete(key);
    }
  }

  async #fetch(model: string, revision: string, modelsDir: string): Promise<void> {
    const cache = cacheFolder(model, modelsDir);
    const listed = await this.#hub.model(model, revision);
    const folder = path.join(cache, "snapshots", listed.commit);
    if (!existsSync(folder)) {
      const part = `${folder}.part`;
      await this.#fetchFiles(model, listed, part);
      renameSync(part, folder);
    }
    if (revision === listed.commit) return;
    const reference = path.join(cache, "refs", revision);
    mkdirSync(path.dirname(reference), { recursive: true });
    writeFileSync(reference, listed.commit);
  }

  async #fetchFiles(model: string, listed: HubModel, folder: string): Promise<void> {
    const files = neededFiles(listed);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total > MODEL_BYTES_MAX) throw new Error(`its files take ${total} bytes, more than ${MODEL_BYTES_MAX}`);
    let bytes = 0;
    const arrived = (more: number): void => {
      const before = Math.floor((bytes * 10) / total);
      bytes += more;
      if (bytes === total || Math.floor((bytes * 10) / total) > before) this.#show({ model, bytes, total });
    };
    this.#show({ model, bytes, total });
    for (const file of files) {
      const target = path.join(folder, file.name);
      if (await isWhole(target, file)) arrived(file.bytes);
      else await this.#fetchFile(model, listed.commit, file, target, arrived);
    }
  }

  async #fetchFile(
    model: string,
    commit: string,
    file: HubFile,
    target: string,
    arrived: (bytes: number) => void,
  ): Promise<void> {
    mkdirSync(path.dirname(target), { recursive: true });
    const hash = hashOf(file);
    const pieces = this.#hub.file(model, commit, file.name);
    await pipeline(async function* () {
      for await (const piece of pieces) {
        hash.update(piece);
        arrived(piece.length);
        yield piece;
      }
    }, createWriteStream(target));
    if (hash.digest("hex") === file.checksum.digest) return;
    rmSync(target);
    throw new Error(`\`${file.name}\` came with another checksum than the hub names for it`);
  }
}

/** Of the ONNX files the first that there is, as on disk. */
function neededFiles({ files }: HubModel): HubFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const onnx = ONNX_FILES.find((name) => byName.has(name));
  if (onnx === undefined) throw new Error(`it has no ONNX file; one of ${ONNX_FILES.join(", ")} is needed`);
  const missing = NEEDED.find((name) => !byName.has(name));
  if (missing !== undefined) throw new Error(`it has no \`${missing}\``);
  const names = [...NEEDED, ...READ, onnx, ...WEIGHTS_SUFFIXES.map((suffix) => onnx + suffix)];
  return names.flatMap((name) => byName.get(name) ?? []);
}

async function isWhole(target: string, file: HubFile): Promise<boolean> {
  if (!existsSync(target) || statSync(target).size !== file.bytes) return false;
  const hash = hashOf(file);
  for await (const piece of createReadStream(target)) hash.update(piece as Buffer);
  return hash.digest("hex") === file.checksum.digest;
}

function hashOf({ bytes, checksum }: HubFile): Hash {
  if (checksum.kind === "sha256") return createHash("sha256");
  return createHash("sha1").update(`blob ${bytes}\0`);
}
