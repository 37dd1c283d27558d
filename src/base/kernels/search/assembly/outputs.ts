/** Tells what the nodes of a query were found to stand for, for those who highlight it. */

import { Range } from "../../dictionary/assembly/layout";
import { listedWord } from "./completions";
import { segmentCount } from "./index-of";
import { NodeOutput, Request, SegmentTerm } from "./layout";
import { Node, nodeAt, nodeCount, tierOrder, tierOrderCount } from "./nodes";
import { keep, keepZeros } from "./room";

const OUTPUT_BYTES: usize = offsetof<NodeOutput>();

export function putOutputs(request: Request): void {
  const outputs = keepZeros(<usize>nodeCount * OUTPUT_BYTES);
  request.outputs = <u32>outputs;
  request.tierOrder = <u32>tierOrder;
  request.tierOrderCount = tierOrderCount;
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
  }
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
    const range = changetype<Range>(output.ranges + <usize>i * offsetof<Range>());
    range.first = refs.from + refs.exactEnd;
    range.end = refs.to;
  }
}
