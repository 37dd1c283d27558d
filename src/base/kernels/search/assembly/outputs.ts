/** Tells what the nodes of a query were found to stand for, for those who highlight it. */
import { listedWord } from "./completions";
import { segmentCount } from "./index-of";
import { NodeOutput, Request } from "./layout";
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
    store<u32>(output.completions + ((<usize>w) << 3), i);
    store<u32>(output.completions + ((<usize>w) << 3), word.ordinal(i), 4);
  }
}

/** Without the word itself. */
function putRanges(node: Node, output: NodeOutput): void {
  output.ranges = <u32>keep((<usize>segmentCount) << 3);
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    store<u32>(output.ranges + ((<usize>i) << 3), refs.from + refs.exactEnd);
    store<u32>(output.ranges + ((<usize>i) << 3), refs.to, 4);
  }
}
