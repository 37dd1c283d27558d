/**
 * What searches found out about words and later ones need again, as long as the index stays the same: bytes by text and tag.
 * Bounded: there is room for two generations, and when the young one is full the old one is forgotten to make room. What is
 * asked for again moves on to the young one.
 */
import { index } from "./index-of";

export const UNKNOWN: u32 = 0xffff_ffff;

/** At the beginning of the room. */
@unmanaged
class Findings {
  /** Of the generations; 0 before the first search. */
  young: u32;
  old: u32;
  /** The first byte that is free in the young one. */
  next: u32;
}

/** Followed by the text, then, at a multiple of four, by what was found. */
@unmanaged
class Finding {
  next: u32;
  tag: u32;
  length: u32;
  bytes: u32;
}

const HEAD_BYTES: u32 = <u32>offsetof<Findings>();
const FINDING_BYTES: u32 = <u32>offsetof<Finding>();
/** Bytes of a generation for each of its buckets, which come before what was found. */
const BUCKET_SHARE: u32 = 256;

function generationBytes(): u32 {
  return ((index.findingsBytes - HEAD_BYTES) >> 1) & ~3;
}

/** A power of two. */
function bucketCount(): u32 {
  return (<u32>1) << (31 - clz(generationBytes() / BUCKET_SHARE));
}

function hashOf(text: usize, length: u32, tag: u32): u32 {
  let hash: u32 = 2166136261 ^ tag;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(text + i)) * 16777619;
  return hash ^ (hash >> 15);
}

function bucketOf(generation: u32, hash: u32): usize {
  return <usize>(generation + ((hash & (bucketCount() - 1)) << 2));
}

function textBytes(length: u32): u32 {
  return (length + 3) & ~3;
}

/** Called before each search. */
export function openFindings(): void {
  if (index.findings === 0) return;
  const findings = changetype<Findings>(<usize>index.findings);
  if (findings.young !== 0) return;
  const first = index.findings + HEAD_BYTES;
  begin(findings, first);
  begin(findings, first + generationBytes());
}

/** Forgets the old generation: what was the young one takes its place. */
function begin(findings: Findings, young: u32): void {
  const bytes = bucketCount() << 2;
  memory.fill(<usize>young, 0, <usize>bytes);
  findings.old = findings.young;
  findings.young = young;
  findings.next = young + bytes;
}

function hasRoom(findings: Findings, size: u32): bool {
  return findings.next + size <= findings.young + generationBytes();
}

function findIn(generation: u32, hash: u32, text: usize, length: u32, tag: u32): Finding | null {
  for (let at = load<u32>(bucketOf(generation, hash)); at !== 0; ) {
    const known = changetype<Finding>(<usize>at);
    if (known.tag === tag && known.length === length) {
      if (memory.compare(<usize>(at + FINDING_BYTES), text, length) === 0) return known;
    }
    at = known.next;
  }
  return null;
}

function foundAt(finding: Finding): usize {
  return changetype<usize>(finding) + FINDING_BYTES + textBytes(finding.length);
}

/** Where what was found is, until something else is kept; 0 when nothing is known. */
export function findBytes(text: usize, length: u32, tag: u32): usize {
  if (index.findings === 0) return 0;
  const findings = changetype<Findings>(<usize>index.findings);
  const hash = hashOf(text, length, tag);
  const recent = findIn(findings.young, hash, text, length, tag);
  if (recent !== null) return foundAt(recent);
  const known = findIn(findings.old, hash, text, length, tag);
  if (known === null) return 0;
  if (!hasRoom(findings, FINDING_BYTES + textBytes(length) + known.bytes)) return foundAt(known);
  const moved = put(findings, hash, text, length, tag, known.bytes);
  memory.copy(moved, foundAt(known), known.bytes);
  return moved;
}

/** Where what was found is to be written; 0 when it cannot be kept. */
export function keepBytes(text: usize, length: u32, tag: u32, bytes: u32): usize {
  if (index.findings === 0) return 0;
  const findings = changetype<Findings>(<usize>index.findings);
  const size = FINDING_BYTES + textBytes(length) + textBytes(bytes);
  if (size > generationBytes() - (bucketCount() << 2)) return 0;
  if (!hasRoom(findings, size)) begin(findings, findings.old);
  return put(findings, hashOf(text, length, tag), text, length, tag, textBytes(bytes));
}

/** For which there is room. */
function put(findings: Findings, hash: u32, text: usize, length: u32, tag: u32, bytes: u32): usize {
  const finding = changetype<Finding>(<usize>findings.next);
  const bucket = bucketOf(findings.young, hash);
  finding.next = load<u32>(bucket);
  finding.tag = tag;
  finding.length = length;
  finding.bytes = bytes;
  memory.copy(changetype<usize>(finding) + FINDING_BYTES, text, length);
  store<u32>(bucket, findings.next);
  findings.next += FINDING_BYTES + textBytes(length) + bytes;
  return foundAt(finding);
}

export function findNumber(text: usize, length: u32, tag: u32): u32 {
  const at = findBytes(text, length, tag);
  return at === 0 ? UNKNOWN : load<u32>(at);
}

export function keepNumber(text: usize, length: u32, tag: u32, value: u32): void {
  const at = keepBytes(text, length, tag, 4);
  if (at !== 0) store<u32>(at, value);
}
