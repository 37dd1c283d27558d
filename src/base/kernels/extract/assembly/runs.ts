/**
 * The words of a value: of most as one run of Latin script, of others run by run as scripts change, in the way of
 * `base/text/scripts.ts`. Runs of scripts that need a segmenter are read by the host, and so is a value that cannot be cut here.
 */
import { characterBytes, codePointAt, isLatinOrNone, SECOND } from "../../shared/assembly/characters";
import { Field } from "./fields";
import { run, words } from "./host";
import {
  gap,
  hasTable,
  NO_SCRIPT,
  position,
  readRun,
  SCRIPT_LATIN,
  SCRIPT_OTHER,
  setDistance,
  started,
  unitScripts,
} from "./text";
import { openValue, positionReached, resumeValue } from "./words";

/** In the place of a script: the host has to weigh the letters of the value. */
const UNDECIDED: u32 = 255;
/** A distance in one number: the gap, and whether a word has come. */
const STARTED: u32 = 16;
const GAP_MASK: u32 = 15;

/** Whether characters alone decide what they do, inside ASCII and beyond. */
let asciiExact: bool = false;
let wideExact: bool = false;
let plainLanguage: u32 = 0;

export function openRuns(ascii: bool, wide: bool, plain: u32): void {
  asciiExact = ascii;
  wideExact = wide;
  plainLanguage = plain;
}

/** Reads the words of the text `[start, end)` to the field, from where it stands. Up to 16 bytes behind are read. */
export function readText(field: Field, start: usize, end: usize): void {
  if (start === end) return;
  const kind = field.elsewhere || !asciiExact ? FOREIGN : kindOf(start, end);
  if (kind === FOREIGN) {
    leaveToHost(field, start, end, false);
    return;
  }
  setDistance(0, false, field.position);
  if (kind === ONE_RUN) readRun(field, start, end, NO_SCRIPT, field.language);
  else readRuns(field, start, end);
}

/** The same for numbers and truth values, which have no language. */
export function readPlain(field: Field, start: usize, end: usize): void {
  if (!asciiExact) {
    leaveToHost(field, start, end, true);
    return;
  }
  setDistance(0, false, field.position);
  readRun(field, start, end, NO_SCRIPT, plainLanguage);
}

function leaveToHost(field: Field, start: usize, end: usize, isPlain: bool): void {
  openValue(field);
  words(changetype<usize>(field), start, <u32>(end - start), <u32>isPlain);
}

/** One run of Latin script at most; runs of several scripts; the host's. */
const ONE_RUN: u32 = 0;
const RUNS: u32 = 1;
const FOREIGN: u32 = 2;

function kindOf(start: usize, end: usize): u32 {
  let kind = ONE_RUN;
  let at = start;
  while (at < end) {
    while (at + 16 <= end && !v128.any_true(v128.and(v128.load(at), i8x16.splat(-128)))) at += 16;
    if (at >= end) break;
    const byte = <u32>load<u8>(at);
    if (byte < 0x80) {
      at++;
      continue;
    }
    if (!wideExact) return FOREIGN;
    if (!isLatinOrNone(byte, load<u8>(at, SECOND))) {
      // Of what lies beyond 16 bits only emoji are known here.
      if (byte >= 0xf0 || load<u8>(unitScripts + codePointAt(at)) === UNDECIDED) return FOREIGN;
      kind = RUNS;
    }
    at += characterBytes(byte);
  }
  return kind;
}

/** Characters without script join the run before them, those at the beginning the first run. */
function readRuns(field: Field, start: usize, end: usize): void {
  let script = SCRIPT_OTHER;
  let from = start;
  for (let at = start; at < end; ) {
    const codePoint = codePointAt(at);
    const own = codePoint > 0xffff ? SCRIPT_OTHER : <u32>load<u8>(unitScripts + codePoint);
    if (own !== SCRIPT_OTHER && own !== script) {
      if (script !== SCRIPT_OTHER) {
        readOne(field, from, at, script);
        from = at;
      }
      script = own;
    }
    at += characterBytes(load<u8>(at));
  }
  readOne(field, from, end, script);
}

function readOne(field: Field, start: usize, end: usize, script: u32): void {
  if (script === SCRIPT_OTHER || hasTable(script)) {
    readRun(field, start, end, script, script === SCRIPT_LATIN ? field.language : plainLanguage);
    return;
  }
  resumeValue(field, position);
  const state = run(changetype<usize>(field), start, <u32>(end - start), script, gap | (started ? STARTED : 0));
  setDistance(state & GAP_MASK, (state & STARTED) !== 0, positionReached());
}
