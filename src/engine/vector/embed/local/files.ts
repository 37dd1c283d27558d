/**
 * Where the files of a model lie, by its name and revision. Two layouts are known below the models directory: the cache of
 * the Hugging Face hub (`models--org--name/snapshots/<revision>`) and a plain folder (`org/name`). Downloads nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { EmbedError } from "../embedder.ts";
import { MODEL_PACKAGE, MODEL_PACKAGE_INSTALL, packageFolder } from "./packages.ts";

export interface ModelFiles {
  folder: string;
  onnx: string;
  /** Where the files do not tell how long a text the model was made for. */
  tokensMax: number | null;
}

/** Full precision first: it is what the name of the model promises. */
export const ONNX_FILES = ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx"];

/** The small model of MODEL_PACKAGE, by the names it is known under. */
const SMALL_MODELS = ["sentence-transformers/all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2"];
const SMALL_MODEL_TOKENS = 256;

export const DEFAULT_REVISION = "main";

/** Null for a model that is not on disk. */
export function findModel(model: string, revision: string | null, modelsDir: string | null): ModelFiles | null {
  checkName("model", model, 2);
  checkName("revision", revision ?? DEFAULT_REVISION, 4);
  const folder = foldersOf(model, revision, modelsDir).find((candidate) => existsSync(candidate));
  if (folder !== undefined) return filesOf(model, folder, null);
  // The package holds one revision and does not say which: it stands in only where none was asked for.
  const installed = isPackaged(model, revision) ? packageFolder(MODEL_PACKAGE, modelsDir) : null;
  return installed === null ? null : filesOf(model, path.join(installed, "model"), SMALL_MODEL_TOKENS);
}

function isPackaged(model: string, revision: string | null): boolean {
  return SMALL_MODELS.includes(model) && revision === null;
}

/** Says where the model was looked for, why it was not downloaded, and by which line it gets there. */
export function missingModel(
  model: string,
  revision: string | null,
  modelsDir: string | null,
  noDownload: string,
): EmbedError {
  const places = foldersOf(model, revision, modelsDir).map((folder) => `\`${folder}\``);
  if (isPackaged(model, revision)) places.push(`the package \`${MODEL_PACKAGE}\`, which is not installed`);
  const lookedIn = modelsDir === null ? "no models directory is set (`--models-dir`)" : places.join(", ");
  const target = path.resolve(modelsDir ?? "models", model);
  const install = isPackaged(model, revision)
    ? MODEL_PACKAGE_INSTALL
    : `hf download ${model}${revision === null ? "" : ` --revision ${revision}`} --local-dir ${target}`;
  return new EmbedError(
    "user",
    `model \`${model}\`${revision === null ? "" : ` of revision \`${revision}\``} is not on disk; looked in: ${lookedIn}. ` +
      `${noDownload} Install it by \`${install}\`, or use \`${SMALL_MODELS[0]}\` from the package \`${MODEL_PACKAGE}\` (docs/semantic-search.md).`,
  );
}

/** Names come from settings: none may lead out of the models directory. */
function checkName(what: string, name: string, partsMax: number): void {
  const parts = name.split("/");
  if (parts.length > partsMax || !parts.every((part) => /^[\w-][\w.-]*$/.test(part))) {
    throw new EmbedError("user", `\`${name}\` is no ${what} name`);
  }
}

function foldersOf(model: string, revision: string | null, modelsDir: string | null): string[] {
  if (modelsDir === null) return [];
  const cache = cacheFolder(model, modelsDir);
  const commit = commitOf(cache, revision ?? DEFAULT_REVISION);
  return [path.join(cache, "snapshots", commit), path.resolve(modelsDir, model)];
}

/** Where the hub's own tools keep a model. */
export function cacheFolder(model: string, modelsDir: string): string {
  return path.resolve(modelsDir, `models--${model.replaceAll("/", "--")}`);
}

/** The cache keeps branches as files that hold a commit, and snapshots by commit. */
function commitOf(cache: string, revision: string): string {
  const reference = path.join(cache, "refs", revision);
  const commit = existsSync(reference) ? readFileSync(reference, "utf8").trim() : revision;
  return /^[0-9a-f]{40}$/.test(commit) ? commit : revision;
}

function filesOf(model: string, folder: string, tokensMax: number | null): ModelFiles {
  const onnx = ONNX_FILES.map((name) => path.join(folder, name)).find((file) => existsSync(file));
  if (onnx === undefined) {
    throw new EmbedError(
      "user",
      `model \`${model}\`: \`${folder}\` has no ONNX file; one of ${ONNX_FILES.join(", ")} is needed`,
    );
  }
  return { folder, onnx, tokensMax };
}
