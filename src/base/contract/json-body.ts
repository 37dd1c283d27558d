/**
 * JSON bodies within bounds: how much of the front's time one may take, how deep and how long one may be at all. What is
 * in them is checked elsewhere.
 */

import { type ApiError, badRequest, malformedPayload } from "../errors/errors.ts";
import { JsonScanner } from "../json/validate.ts";
import { isWeightless, JsonScale, workOf } from "../json/weigh.ts";
import { limits } from "../limits.ts";

/** Bytes that are weighed, or decoded, at once: about half a millisecond, or one. */
const STEP_BYTES = 128 * 1024;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

export function parseJson(bytes: Uint8Array): unknown {
  return parsed(
    bytes,
    orMalformed(() => UTF8.decode(bytes)),
  );
}

function parsed(bytes: Uint8Array, text: string): unknown {
  const value: unknown = orMalformed(() => JSON.parse(text));
  if (text.includes("\\ud") || text.includes("\\uD")) refuseLoneSurrogates(bytes);
  return value;
}

/** `JSON.parse` takes halves of a letter, which are no text: whatever is written of them becomes something else. */
function refuseLoneSurrogates(bytes: Uint8Array): void {
  const scanner = new JsonScanner();
  if (scanner.value(bytes, 0, bytes.length) < 0) throw malformedPayload("json", `\`${scanner.problem}\`.`);
}

function orMalformed<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw malformedPayload("json", (error as Error).message);
  }
}

/** Whether reading and checking it takes more time than the front may spend on a request. Refuses what is too deep. */
export function isHeavy(body: Uint8Array): boolean {
  if (isWeightless(body)) return false;
  if (body.length > limits.lightBodyBytes) return true;
  const scale = new JsonScale(body);
  scale.step(body.length);
  if (scale.deepest > limits.jsonDepth) throw tooDeep();
  return workOf(scale, body.length) > limits.lightBodyMicros;
}

/** Refuses what is too deep or holds too many values; `pause` is called now and then, and may let others have a turn. */
export async function readBoundedJson(
  body: Uint8Array,
  valuesMax: number,
  pause: () => Promise<void>,
): Promise<unknown> {
  const scale = new JsonScale(body);
  for (let more = true; more; ) {
    more = scale.step(STEP_BYTES);
    refuseUnbounded(scale, valuesMax);
    await pause();
  }
  return parsed(body, await decodedInSteps(body, pause));
}

/** Letters outside ASCII take long: two megabytes of them 14 ms. */
async function decodedInSteps(body: Uint8Array, pause: () => Promise<void>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let at = 0; at < body.length; at += STEP_BYTES) {
    const step = body.subarray(at, at + STEP_BYTES);
    text += orMalformed(() => decoder.decode(step, { stream: at + STEP_BYTES < body.length }));
    await pause();
  }
  return text;
}

/** The same at once, for bodies of which a route knows that they are short. */
export function readShortJson(body: Uint8Array): unknown {
  if (!isWeightless(body)) {
    const scale = new JsonScale(body);
    scale.step(body.length);
    refuseUnbounded(scale, limits.shortBodyValues);
  }
  return parseJson(body);
}

function refuseUnbounded({ deepest, values }: JsonScale, valuesMax: number): void {
  if (deepest > limits.jsonDepth) throw tooDeep();
  if (values > valuesMax) throw badRequest(`The body holds more values than are accepted: at most ${valuesMax}.`);
}

function tooDeep(): ApiError {
  return malformedPayload("json", `it is nested deeper than ${limits.jsonDepth} levels.`);
}
