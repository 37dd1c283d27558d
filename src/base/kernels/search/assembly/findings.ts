/**
 * What searches found out about words and later ones need again, as long as the index stays the same: bytes by text and tag.
 * Bounded; when there is no room left everything is forgotten.
 */
import { index } from "./index-of";

export const UNKNOWN: u32 = 0xffff_ffff;

const BUCKETS: u32 = 4096;

/** Followed by the text, then, at a multiple of four, by what was found. */
@unmanaged
class Finding {
  next: u32;
  tag: u32;
  length: u32;
}

/** The first word is where the next finding goes; buckets follow. */
const HEAD_BYTES: u32 = 16 + (BUCKETS << 2);
const FINDING_BYTES: u32 = <u32>offsetof<Finding>();

function bucketOf(text: usize, length: u32, tag: u32): usize {
  let hash: u32 = 2166136261 ^ tag;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(text + i)) * 16777619;
  return index.findings + 16 + ((<usize>((hash ^ (hash >> 12)) & (BUCKETS - 1))) << 2);
}

function textBytes(length: u32): u32 {
  return (length + 3) & ~3;
}

/** Called before each search. */
export function openFindings(): void {
  if (index.findings !== 0 && load<u32>(index.findings) === 0) forgetAll();
}

function forgetAll(): void {
  memory.fill(index.findings, 0, HEAD_BYTES);
  store<u32>(index.findings, index.findings + HEAD_BYTES);
}

/** Where what was found is; 0 when nothing is known. */
export function findBytes(text: usize, length: u32, tag: u32): usize {
  if (index.findings === 0) return 0;
  for (let at = load<u32>(bucketOf(text, length, tag)); at !== 0; at = changetype<Finding>(<usize>at).next) {
    const known = changetype<Finding>(<usize>at);
    if (known.tag !== tag || known.length !== length) continue;
    const textAt = <usize>(at + FINDING_BYTES);
    if (memory.compare(textAt, text, length) === 0) return textAt + textBytes(length);
  }
  return 0;
}

/** Where what was found is to be written; 0 when it cannot be kept. */
export function keepBytes(text: usize, length: u32, tag: u32, bytes: u32): usize {
  const findings = index.findings;
  const size = FINDING_BYTES + textBytes(length) + ((bytes + 3) & ~3);
  if (findings === 0 || size > index.findingsBytes - HEAD_BYTES) return 0;
  if (load<u32>(findings) + size > findings + index.findingsBytes) forgetAll();
  const next = load<u32>(findings);
  const bucket = bucketOf(text, length, tag);
  const finding = changetype<Finding>(<usize>next);
  finding.next = load<u32>(bucket);
  finding.tag = tag;
  finding.length = length;
  memory.copy(<usize>(next + FINDING_BYTES), text, length);
  store<u32>(bucket, next);
  store<u32>(findings, next + size);
  return <usize>(next + FINDING_BYTES + textBytes(length));
}

export function findNumber(text: usize, length: u32, tag: u32): u32 {
  const at = findBytes(text, length, tag);
  return at === 0 ? UNKNOWN : load<u32>(at);
}

export function keepNumber(text: usize, length: u32, tag: u32, value: u32): void {
  const at = keepBytes(text, length, tag, 4);
  if (at !== 0) store<u32>(at, value);
}
