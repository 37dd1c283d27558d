/**
 * What the configuration files of a model say about its use: how token vectors become one, whether that one is brought to
 * length 1, and how many tokens a text may have. The files are those of sentence-transformers; all may be missing.
 */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../../../base/json/value.ts";

import { EmbedError } from "../embedder.ts";
import type { ModelFiles } from "./files.ts";
import type { Pooling } from "./pooling.ts";

export interface ModelTraits {
  pooling: Pooling;
  normalized: boolean;
  /** Special tokens included. */
  tokensMax: number;
}

/** The time and memory of a run grow with the square of it, and a search waits for a run: no model gets more. */
const TOKENS_MAX = 512;

const POOLING_FLAGS: Record<string, Pooling> = {
  pooling_mode_cls_token: "cls",
  pooling_mode_mean_tokens: "mean",
  pooling_mode_max_tokens: "max",
  pooling_mode_mean_sqrt_len_tokens: "meanSqrtLength",
  pooling_mode_lasttoken: "last",
};

/** These count positions from behind the padding token, which costs them two. */
const SHIFTED_POSITIONS = ["roberta", "xlm-roberta", "camembert", "mpnet"];

export function readTraits(files: ModelFiles, pooling: Json | undefined): ModelTraits {
  const { folder } = files;
  const modules = modulesOf(folder);
  return {
    pooling: pooling === "forceMean" ? "mean" : pooling === "forceCls" ? "cls" : poolingOf(folder, modules),
    // Without a list of modules nothing tells; vectors of length 1 are the custom, and compare the same.
    normalized: modules === null || modules.has("Normalize"),
    tokensMax: files.tokensMax ?? tokensMaxOf(folder),
  };
}

/** Steps behind the transformer by their kind, each with its folder; null when the model does not list them. */
function modulesOf(folder: string): Map<string, string> | null {
  const listed = readJson(folder, "modules.json");
  if (!Array.isArray(listed)) return null;
  const modules = new Map<string, string>();
  for (const entry of listed) {
    const { type, path: place } = isObject(entry) ? entry : {};
    const kind = String(type).split(".").at(-1)!;
    if (!["Transformer", "Pooling", "Normalize"].includes(kind)) {
      throw new EmbedError("user", `the model in \`${folder}\` has a step \`${kind}\`, which is not supported`);
    }
    modules.set(kind, String(place));
  }
  return modules;
}

function poolingOf(folder: string, modules: Map<string, string> | null): Pooling {
  const file = path.join(modules?.get("Pooling") ?? "1_Pooling", "config.json");
  const config = readJson(folder, file);
  if (!isObject(config)) return "mean";
  const modes = Object.keys(config).filter((key) => key.startsWith("pooling_mode_") && config[key] === true);
  const pooling = modes.length === 1 ? POOLING_FLAGS[modes[0]!] : undefined;
  if (pooling === undefined) {
    throw new EmbedError(
      "user",
      `the model in \`${folder}\` pools by ${modes.join(" and ") || "nothing known"}, which is not supported; set \`pooling\` to \`forceMean\` or \`forceCls\``,
    );
  }
  return pooling;
}

function tokensMaxOf(folder: string): number {
  const config = readObject(folder, "config.json");
  const shift = SHIFTED_POSITIONS.includes(String(config["model_type"])) ? 2 : 0;
  const stated = [
    readObject(folder, "sentence_bert_config.json")["max_seq_length"],
    readObject(folder, "tokenizer_config.json")["model_max_length"],
    typeof config["max_position_embeddings"] === "number" ? config["max_position_embeddings"] - shift : null,
  ];
  return Math.min(TOKENS_MAX, ...stated.filter((value) => typeof value === "number" && value > 0).map(Number));
}

export function readObject(folder: string, name: string): JsonObject {
  const value = readJson(folder, name);
  return isObject(value) ? value : {};
}

/** Null when there is no such file. */
function readJson(folder: string, name: string): Json {
  const file = path.join(folder, name);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Json;
  } catch (error) {
    throw new EmbedError("user", `\`${file}\` cannot be read: ${(error as Error).message}`);
  }
}
