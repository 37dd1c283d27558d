/**
 * Documents as `_formatted` shows them: walks stored JSON and copies whatever stays as it is. Numbers become strings, what
 * a query stands for is put between tags, and texts that are not read here are written by the host.
 */
import { isLatinOrNone, lowerCase, SECOND } from "../../shared/assembly/characters";
import {
  ARRAY_END,
  ARRAY_START,
  COLON,
  COMMA,
  OBJECT_END,
  OBJECT_START,
  passSpaces,
  plainEnd,
  QUOTE,
  stringEnd,
} from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { Table } from "../../shared/assembly/table";
import { mayHoldTerms } from "./beginnings";
import { child, text } from "./host";
import { findMarks, markAt, markCount } from "./marks";
import { handOver, put, putByte, takeOutput } from "./output";

/** How the texts of a node are shown: as they are; marked; marked, but by the host if not in ASCII; by the host. */
const AS_IT_IS: u32 = 0;
const MARKED: u32 = 1;
const MARKED_ASCII: u32 = 2;
const HOSTS: u32 = 3;

@unmanaged
class Node {
  shown: u32;
  /** Nodes by the keys that lead to them; 0 when all below are shown like this one. */
  children: usize;
}

let preTag: usize = 0;
let preTagEnd: usize = 0;
let postTag: usize = 0;
let postTagEnd: usize = 0;

export function setTags(pre: usize, preLength: u32, post: usize, postLength: u32): void {
  preTag = pre;
  preTagEnd = pre + preLength;
  postTag = post;
  postTagEnd = post + postLength;
}

/** `isAlike`: all nodes below are shown like this one. */
export function newNode(shown: u32, isAlike: bool): usize {
  const node = changetype<Node>(allocate(offsetof<Node>()));
  node.shown = shown;
  node.children = 0;
  if (!isAlike) {
    const table = changetype<Table>(allocate(offsetof<Table>()));
    table.prepare();
    node.children = changetype<usize>(table);
  }
  return changetype<usize>(node);
}

/** Writes the document that begins at `start`; what the host did not take over yet is left in the output. */
export function formatDocument(start: usize, root: usize): u32 {
  // Nothing is left, unless the call before was broken off.
  takeOutput();
  showValue(start, changetype<Node>(root));
  return takeOutput();
}

/** Behind the value. */
function showValue(at: usize, node: Node): usize {
  const byte = <u32>load<u8>(at);
  if (byte === QUOTE) {
    const end = stringEnd(at);
    showText(at + 1, end - 1, node);
    return end;
  }
  if (byte === OBJECT_START) return showObject(at, node);
  if (byte === ARRAY_START) return showArray(at, node);
  const end = plainEnd(at);
  if (byte < 0x3a) showText(at, end, node);
  else put(at, end);
  return end;
}

function showObject(start: usize, node: Node): usize {
  putByte(OBJECT_START);
  let at = start + 1;
  let isFirst = true;
  while (true) {
    at = passSpaces(at, COMMA);
    if (load<u8>(at) === OBJECT_END) break;
    if (!isFirst) putByte(COMMA);
    isFirst = false;
    const keyEnd = stringEnd(at);
    put(at, keyEnd);
    putByte(COLON);
    const below = childOf(node, at + 1, keyEnd - 1);
    at = showValue(passSpaces(keyEnd, COLON), below);
  }
  putByte(OBJECT_END);
  return at + 1;
}

function childOf(node: Node, key: usize, keyEnd: usize): Node {
  if (node.children === 0) return node;
  const table = changetype<Table>(node.children);
  const entry = table.entry(key, <u32>(keyEnd - key));
  if (table.isNew) entry.value = <u32>child(changetype<usize>(node), key, <u32>(keyEnd - key));
  return changetype<Node>(<usize>entry.value);
}

function showArray(start: usize, node: Node): usize {
  putByte(ARRAY_START);
  let at = start + 1;
  let isFirst = true;
  while (true) {
    at = passSpaces(at, COMMA);
    if (load<u8>(at) === ARRAY_END) break;
    if (!isFirst) putByte(COMMA);
    isFirst = false;
    at = showValue(at, node);
  }
  putByte(ARRAY_END);
  return at + 1;
}

function showText(start: usize, end: usize, node: Node): void {
  putByte(QUOTE);
  const shown = node.shown;
  if (shown === AS_IT_IS || start === end) put(start, end);
  else if (shown !== HOSTS && isReadable(start, end, shown) && findMarks(start, end)) putMarked(start, end);
  else if (shown === MARKED && !mayHoldTerms(start, end)) put(start, end);
  else leaveToHost(start, end, node);
  putByte(QUOTE);
}

function leaveToHost(start: usize, end: usize, node: Node): void {
  handOver();
  text(changetype<usize>(node), start, <u32>(end - start));
}

function putMarked(start: usize, end: usize): void {
  let from = start;
  for (let i: u32 = 0; i < markCount; i++) {
    const mark = markAt(i);
    const to = <usize>mark.start;
    put(from, to);
    put(preTag, preTagEnd);
    from = mark.end;
    put(to, from);
    put(postTag, postTagEnd);
  }
  put(from, end);
}

/** Whether a text is of Latin script, with some letter of it if it is not ASCII; all of others is read by the host. */
function isReadable(start: usize, end: usize, shown: u32): bool {
  let isWide = false;
  let at = start;
  while (at < end) {
    while (at + 16 <= end && !v128.any_true(v128.and(v128.load(at), i8x16.splat(-128)))) at += 16;
    if (at >= end) break;
    const byte = <u32>load<u8>(at);
    if (byte >= 0x80) {
      if (shown === MARKED_ASCII || !isLatinOrNone(byte, load<u8>(at, SECOND))) return false;
      isWide = true;
    }
    at++;
  }
  return !isWide || hasLetter(start, end);
}

function hasLetter(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (lowerCase(load<u8>(at)) - 0x61 < 26) return true;
  return false;
}
