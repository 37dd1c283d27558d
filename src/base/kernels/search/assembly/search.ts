/** A search in one call: from the nodes of a query to documents in order. */
import { openAgreement } from "./agreement";
import { startClock } from "./clock";
import { drive, isDegraded } from "./driver";
import { openFindings } from "./findings";
import { openFreeSets } from "./free-sets";
import { hitCount, openHits } from "./hits";
import { useIndex } from "./index-of";
import { Request } from "./layout";
import { addTo, countOf, removeFrom, trimMap } from "./lines";
import { openNodes } from "./nodes";
import { putOutputs } from "./outputs";
import { graphPaths, newPaths } from "./paths";
import { openPhrase, phraseSet } from "./phrases";
import { openRoom } from "./room";
import { SORT, WORDS } from "./rules";
import { closeSets, keptSet, openSets } from "./sets";
import { findUniverse, openStrategy } from "./strategy";
import { openTables } from "./tables";
import { openWords } from "./words";

export function search(at: usize): void {
  const request = changetype<Request>(at);
  openRoom(request.room, request.roomEnd);
  useIndex(request.index);
  if (request.isTrimmed === 0) trimMap(request.universe);
  startClock();
  openSets();
  openWords();
  openFindings();
  openTables();
  openFreeSets();
  openAgreement(request.isPart !== 0);
  openNodes(request.nodes, request.nodeCount);
  const allowed = withoutNegatives(request);
  openStrategy(request.strategy, request.termCount, allowed);
  const universe = findUniverse(allowed, request.termCount);
  const count = countOf(universe);
  request.candidates = <u32>(request.hasThreshold !== 0 ? copyOf(universe) : universe);
  openHits(request, count);
  drive(request, universe, count, beginsWithWords(request) ? newPaths(0) : graphPaths(request.termCount));
  request.hitCount = hitCount;
  request.candidateCount = request.hasThreshold !== 0 ? countOf(request.candidates) : count;
  request.isDegraded = isDegraded ? 1 : 0;
  putOutputs(request);
  closeSets();
}

function copyOf(set: usize): usize {
  const copy = keptSet();
  addTo(copy, set);
  return copy;
}

function withoutNegatives(request: Request): usize {
  if (request.negativeCount === 0) return request.universe;
  const allowed = copyOf(request.universe);
  for (let i: u32 = 0; i < request.negativeCount; i++) {
    removeFrom(allowed, phraseSet(openPhrase(load<u32>(request.negatives + ((<usize>i) << 2)))));
  }
  return allowed;
}

/** Whether the first rule that looks at interpretations finds them itself. */
function beginsWithWords(request: Request): bool {
  for (let level: u32 = 0; level < request.ruleCount; level++) {
    const rule = load<u8>(request.rules + level);
    if (rule !== SORT) return rule === WORDS;
  }
  return true;
}
