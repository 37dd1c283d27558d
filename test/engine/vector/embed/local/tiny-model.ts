/**
 * A model small enough to reckon with by hand: the vector of a token is a row of a table. Writes the files that a real
 * model has, the ONNX graph in its wire format.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Rows by token number; padding has a vector that must never count. */
const TABLE = [
  [900, 900, 900], // [PAD]
  [1, 0, 0], // [CLS]
  [0, 1, 0], // [SEP]
  [0, 0, 0], // [UNK]
  [3, 0, 4], // red
  [0, 6, 8], // blue
  [5, 5, 5], // green
];
const WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "red", "blue", "green"];

/** Relative path to content; what is null is not written. */
export type Files = Record<string, string | Uint8Array | object | null>;

export function writeTinyModel(folder: string, changes: Files = {}): void {
  const files: Files = {
    "model.onnx": tinyGraph("last_hidden_state"),
    "config.json": { model_type: "bert", max_position_embeddings: 8 },
    "tokenizer.json": TOKENIZER,
    "modules.json": modules("Transformer", "Pooling"),
    "1_Pooling/config.json": { word_embedding_dimension: 3, pooling_mode_mean_tokens: true },
    ...changes,
  };
  for (const [name, content] of Object.entries(files)) {
    if (content === null) continue;
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const isRaw = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(file, isRaw ? content : JSON.stringify(content));
  }
}

export function modules(...kinds: string[]): object[] {
  return kinds.map((kind, idx) => ({
    idx,
    name: String(idx),
    path: idx === 0 ? "" : `${idx}_${kind}`,
    type: `sentence_transformers.models.${kind}`,
  }));
}

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [1], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [2], tokens: ["[SEP]"] },
    },
  },
  decoder: null,
  model: {
    type: "WordPiece",
    continuing_subword_prefix: "##",
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    unk_token: "[UNK]",
  },
};

/** `output` = the rows of TABLE that `input_ids` name; `attention_mask` is taken and not used. */
export function tinyGraph(output: string): Uint8Array {
  const table = bytes(
    ...[TABLE.length, TABLE[0]!.length].map((size) => number(1, size)),
    number(2, 1),
    text(8, "table"),
    message(9, Buffer.from(Float32Array.from(TABLE.flat()).buffer)),
  );
  const gather = bytes(text(1, "table"), text(1, "input_ids"), text(2, output), text(4, "Gather"));
  const graph = bytes(
    message(1, gather),
    text(2, "tiny"),
    message(5, table),
    message(11, value("input_ids", 7, ["texts", "tokens"])),
    message(11, value("attention_mask", 7, ["texts", "tokens"])),
    message(12, value(output, 1, ["texts", "tokens", "values"])),
  );
  return bytes(number(1, 8), message(7, graph), message(8, bytes(text(1, ""), number(2, 13))));
}

function value(name: string, type: number, dims: string[]): Buffer {
  const shape = bytes(...dims.map((dim) => message(1, text(2, dim))));
  return bytes(text(1, name), message(2, message(1, bytes(number(1, type), message(2, shape)))));
}

const bytes = (...parts: Uint8Array[]): Buffer => Buffer.concat(parts);
const number = (field: number, content: number): Buffer => bytes(varint(field << 3), varint(content));
const message = (field: number, content: Uint8Array): Buffer =>
  bytes(varint((field << 3) | 2), varint(content.length), content);
const text = (field: number, content: string): Buffer => message(field, Buffer.from(content));

function varint(content: number): Buffer {
  const groups: number[] = [];
  for (let rest = content; rest > 0 || groups.length === 0; rest >>>= 7) groups.push((rest & 127) | 128);
  groups[groups.length - 1]! &= 127;
  return Buffer.from(groups);
}
