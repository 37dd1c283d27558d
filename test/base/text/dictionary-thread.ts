// A thread that cuts a Japanese and a Korean text and tells the ends of their words.
import { parentPort, workerData } from "node:worker_threads";
import { segmentJapanese, segmentKorean } from "../../../src/base/text/morphemes.ts";

const [japanese, korean]: [string, string] = workerData;
const cuts: [number[], number[]] = [[], []];
segmentJapanese(japanese, 0, japanese.length, cuts[0]);
segmentKorean(korean, 0, korean.length, cuts[1]);
parentPort!.postMessage(cuts);
