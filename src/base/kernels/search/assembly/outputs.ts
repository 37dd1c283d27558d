/** Tells what the nodes of a query were found to stand for, for those who highlight it. */

import { Range } from "../../dictionary/assembly/layout";
import { termText } from "../../dictionary/assembly/walk";
import { listedWord } from "./completions";
import { segmentAt, segmentCount, termsOf } from "./index-of";
import { NodeOutput, Request, SegmentTerm } from "./layout";
import { Node, nodeAt, nodeCount, tierOrder, tierOrderCount } from "./nodes";
import { keep, keepZeros, mark, release, roomLeft, stack } from "./room";
import { TERM_BYTES } from "./words";

const OUTPUT_BYTES: usize = offsetof<NodeOutput>();
/** In the place of a number of words that are too many. */
const UNSPELLED: u32 = u32.MAX_VALUE;

export function putOutputs(request: Request): void {
  const outputs = keepZeros(<usize>nodeCount * OUTPUT_BYTES);
  request.outputs = <u32>outputs;
  request.tierOrder = <u32>tierOrder;
  request.tierOrderCount = tierOrderCount;
  request.words = <u32>mark();
  for (let n: u32 = 0; n < nodeCount; n++) {
    const node = nodeAt(n);
    const output = changetype<NodeOutput>(outputs + <usize>n * OUTPUT_BYTES);
    output.exists = node.exact === null ? 0 : 1;
    output.isCommonPrefix = node.isCommon;
    if (node.listed !== 0) putListed(node, output);
    else if (node.isPrefix !== 0 && node.isCommon === 0) putRanges(node, output);
    output.hasTiers = node.hasTiers;
    output.one = <u32>node.oneWords;
    output.oneCount = node.oneCount;
    output.two = <u32>node.twoWords;
    output.twoCount = node.twoCount;
    output.cut = node.cut;
    if (request.wantsWords !== 0) output.wordCount = spellWords(output);
  }
  request.wordsEnd = <u32>mark();
}

/** On the stack, which nobody needs any more. Returns how many, or UNSPELLED where there may be no room. */
function spellWords(output: NodeOutput): u32 {
  const spellsCompletions = output.exists === 0;
  let count: u32 = output.oneCount + output.twoCount;
  if (spellsCompletions) count += output.completionCount + (output.ranges === 0 ? 0 : countOf(output.ranges));
  if (<usize>count * (1 + TERM_BYTES) > roomLeft()) return UNSPELLED;
  if (spellsCompletions) {
    spellTerms(output.completions, output.completionCount);
    if (output.ranges !== 0) spellRanges(output.ranges);
  }
  spellTerms(output.one, output.oneCount);
  spellTerms(output.two, output.twoCount);
  return count;
}

function spellTerms(terms: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const term = changetype<SegmentTerm>(terms + <usize>i * offsetof<SegmentTerm>());
    spell(term.segment, term.ordinal);
  }
}

function rangeAt(ranges: usize, i: u32): Range {
  return changetype<Range>(ranges + <usize>i * offsetof<Range>());
}

function countOf(ranges: usize): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const range = rangeAt(ranges, i);
    if (range.end > range.first) count += range.end - range.first;
  }
  return count;
}

function spellRanges(ranges: usize): void {
  for (let i: u32 = 0; i < segmentCount; i++) {
    const range = rangeAt(ranges, i);
    for (let ordinal = range.first; ordinal < range.end; ordinal++) spell(i, ordinal);
  }
}

function spell(segment: u32, ordinal: u32): void {
  const at = stack(1 + TERM_BYTES);
  const length = termText(termsOf(segmentAt(segment)), ordinal, at + 1);
  store<u8>(at, length);
  release(at + 1 + length);
}

function putListed(node: Node, output: NodeOutput): void {
  output.completions = <u32>keep((<usize>node.listedCount) << 3);
  output.completionCount = node.listedCount;
  for (let w: u32 = 0; w < node.listedCount; w++) {
    const word = listedWord(node, w);
    let i: u32 = 0;
    while (word.ordinal(i) === -1) i++;
    const term = changetype<SegmentTerm>(output.completions + <usize>w * offsetof<SegmentTerm>());
    term.segment = i;
    term.ordinal = word.ordinal(i);
  }
}

/** Without the word itself. */
function putRanges(node: Node, output: NodeOutput): void {
  output.ranges = <u32>keep((<usize>segmentCount) << 3);
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    const range = rangeAt(output.ranges, i);
    range.first = refs.from + refs.exactEnd;
    range.end = refs.to;
  }
}
