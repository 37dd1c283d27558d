/** The part about common prefixes, of the terms that compiled code has written. */
import { CommonPrefix } from "../../../base/kernels/extract/generated/layout.ts";
import { bytesOf } from "../byte-log.ts";
import { bytesVector, flatPart, wordsVector } from "../flat-table.ts";
import { CommonPrefixesPart } from "../generated/common-prefixes-part.ts";
import { listOf, type Maker } from "../handed-over.ts";
import { PART, type Part } from "../parts.ts";

interface CommonPrefixMaker extends Maker {
  readonly kernels: Maker["kernels"] & { commonPrefixes(out: number): number };
}

/** None where no prefix is that common. */
export function commonPrefixParts(maker: CommonPrefixMaker): Part[] {
  const addresses = listOf(maker, (out) => maker.kernels.commonPrefixes(out));
  if (addresses.length === 0) return [];
  const prefixes: number[] = [];
  const tables: Uint8Array[] = [];
  for (const address of addresses) {
    const told = maker.copyOfWords(address, CommonPrefix.WORDS);
    prefixes.push(told[CommonPrefix.first]!, told[CommonPrefix.end]!, told[CommonPrefix.rows]!);
    tables.push(bytesOf(maker.copyOfWords(told[CommonPrefix.at]!, told[CommonPrefix.bytes]! / 4)));
  }
  const written = { prefixes: wordsVector(Uint32Array.from(prefixes)), tables: bytesVector(tables) };
  return [flatPart(PART.commonPrefixes, CommonPrefixesPart, written)];
}
