/**
 * A conversation between a client and a model that may search: what the model says goes to the client as it comes, what it
 * wants to look up is looked up here and given back to it, until it has nothing more to look up.
 */

import { randomUUID } from "node:crypto";
import {
  APPEND_TOOL,
  type Completion,
  PROGRESS_TOOL,
  type Reports,
  SEARCH_TOOL,
  SOURCES_TOOL,
} from "../../../base/contract/chat-completions.ts";
import { isObject, type Json, type JsonObject } from "../../../base/json/value.ts";
import type { Outgoing } from "../../../base/net/outgoing.ts";

import { CALLS_HEARD_MAX, type ChatBounds, cutResult } from "./bounds.ts";
import { DONE, event, eventData } from "./events.ts";
import { errorEvent, ModelError, modelError } from "./problems.ts";
import type { ModelAddress } from "./provider.ts";
import type { FoundText } from "./search-tool.ts";

export interface Talk {
  completion: Completion;
  /** What the model is told first. */
  instructions: JsonObject;
  searchTool: JsonObject;
  reports: Reports;
  address: ModelAddress;
  bounds: ChatBounds;
  outgoing: Pick<Outgoing, "open">;
  /** Looks up what the model asked for. */
  search(parameters: JsonObject): Promise<FoundText>;
  /** Until the client can take more: what it has not read yet is not piled up. */
  write(chunk: string): Promise<void>;
  /** The client is gone. */
  signal: AbortSignal;
}

interface ToolCall {
  id: string;
  name: string;
  /** Not all of them where they are too long. */
  parameters: string;
  isTooLong: boolean;
}

export async function converse(talk: Talk): Promise<void> {
  const messages: JsonObject[] = [talk.instructions, ...talk.completion.messages];
  const { rounds, callsPerRound, calls: callsMax, talkMs } = talk.bounds;
  const end = performance.now() + talkMs;
  let callsLeft = callsMax;
  try {
    for (let round = 1; ; round++) {
      const leftMs = Math.ceil(end - performance.now());
      if (leftMs <= 0) throw new Error(`the conversation took longer than ${talkMs / 1000} s`);
      const { calls, last } = await listen(talk, messages, leftMs);
      if (calls.length === 0) break;
      if (round === rounds) throw new Error(`the model still wanted to search after ${rounds} turns`);
      messages.push(callMessage(calls));
      for (const [i, call] of calls.entries()) {
        const isAllowed = i < callsPerRound && callsLeft > 0;
        if (isAllowed) callsLeft--;
        messages.push(await (isAllowed ? answerCall(talk, call, last) : refuseCall(call)));
      }
    }
  } catch (problem) {
    if (talk.signal.aborted) return;
    await talk.write(event(JSON.stringify(errorEvent(problem))));
  }
  await talk.write(event(DONE));
}

/** One turn of the model. `last`: the chunk after which its calls are answered. */
async function listen(
  talk: Talk,
  messages: JsonObject[],
  timeoutMs: number,
): Promise<{ calls: ToolCall[]; last: JsonObject }> {
  const { model, others } = talk.completion;
  // Messages may be long: to write them, and to send what was written, is each a turn of its own.
  await new Promise((resume) => setImmediate(resume));
  const body = JSON.stringify({ ...others, model, messages, tools: [talk.searchTool], stream: true });
  await new Promise((resume) => setImmediate(resume));
  const { outgoing, address, signal } = talk;
  const answer = await outgoing.open({ method: "POST", ...address, body, timeoutMs, signal });
  if (answer.status < 200 || answer.status > 299) throw await modelError(answer.status, answer.body);
  const calls = new Map<number, ToolCall>();
  let last: JsonObject = {};
  let finish: Json = null;
  for await (const data of eventData(answer.body)) {
    if (data === DONE) break;
    const chunk = parseChunk(data);
    const choice = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    // How much was used, or what a provider adds on its own: no part of the answer.
    if (!isObject(choice)) continue;
    last = chunk;
    finish = choice["finish_reason"] ?? finish;
    const delta = isObject(choice["delta"]) ? choice["delta"] : {};
    if (Array.isArray(delta["tool_calls"]) && delta["tool_calls"].length > 0)
      collect(delta["tool_calls"], calls, talk.bounds);
    else if (calls.size === 0) await talk.write(event(data));
  }
  const own = [...calls.values()].filter(({ name }) => name === SEARCH_TOOL);
  return { calls: finish === "tool_calls" || finish === null ? own : [], last };
}

/** Calls come in pieces: the name first, the parameters letter by letter. */
function collect(pieces: readonly Json[], calls: Map<number, ToolCall>, { parametersUnits }: ChatBounds): void {
  for (const piece of pieces) {
    if (!isObject(piece)) continue;
    const index = Number(piece["index"] ?? 0);
    const part = isObject(piece["function"]) ? piece["function"] : {};
    const call = calls.get(index) ?? { id: "", name: "", parameters: "", isTooLong: false };
    call.id ||= String(piece["id"] ?? "");
    call.name ||= String(part["name"] ?? "");
    if (!call.isTooLong) call.parameters += String(part["arguments"] ?? "");
    call.isTooLong ||= call.parameters.length > parametersUnits;
    calls.set(index, call);
    if (calls.size > CALLS_HEARD_MAX) throw new Error("the model wants too many searches at once");
  }
}

async function answerCall(talk: Talk, call: ToolCall, last: JsonObject): Promise<JsonObject> {
  const { reports, write } = talk;
  const report = (name: string, parameters: Json) => write(event(JSON.stringify(reportChunk(last, name, parameters))));
  if (reports.progress) {
    await report(PROGRESS_TOOL, { call_id: call.id, function_name: call.name, function_arguments: call.parameters });
  }
  if (reports.messages) await report(APPEND_TOOL, callMessage([call]));
  let content: string;
  let refusal: unknown = null;
  try {
    const { documents, text } = await talk.search(parseParameters(call, talk.bounds));
    if (reports.sources) await report(SOURCES_TOOL, { call_id: call.id, sources: documents });
    content = cutResult(text, talk.bounds);
  } catch (problem) {
    talk.signal.throwIfAborted();
    // The model may do better next time; whoever reads along should know as well.
    content = `The search failed: ${(problem as Error).message}`;
    refusal = problem;
  }
  const message: JsonObject = { role: "tool", tool_call_id: call.id, content };
  if (reports.messages) await report(APPEND_TOOL, message);
  if (refusal !== null) await write(event(JSON.stringify(errorEvent(refusal))));
  return message;
}

/** Every call must have an answer, or the model does not go on. */
async function refuseCall({ id }: ToolCall): Promise<JsonObject> {
  return { role: "tool", tool_call_id: id, content: "Not searched: there were too many searches already." };
}

function callMessage(calls: readonly ToolCall[]): JsonObject {
  const tool_calls = calls.map(({ id, name, parameters, isTooLong }) => ({
    id,
    type: "function",
    function: { name, arguments: isTooLong ? "{}" : parameters },
  }));
  return { role: "assistant", tool_calls };
}

/** Reports look like calls of the tools that the client declared for them. */
function reportChunk(last: JsonObject, name: string, parameters: Json): JsonObject {
  const call = {
    index: 0,
    id: randomUUID(),
    type: "function",
    function: { name, arguments: JSON.stringify(parameters) },
  };
  const delta = { role: "assistant", content: null, tool_calls: [call] };
  return { ...last, choices: [{ index: 0, delta, finish_reason: null, logprobs: null }] };
}

function parseChunk(data: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw new Error("the model sent an event that is not JSON");
  }
  if (!isObject(chunk)) throw new Error("the model sent an event that is not an object");
  // Some providers answer 200 and fail afterwards.
  if (isObject(chunk["error"])) throw new ModelError(chunk["error"]);
  return chunk;
}

function parseParameters({ parameters, isTooLong }: ToolCall, { parametersUnits }: ChatBounds): JsonObject {
  if (isTooLong) throw new Error(`the parameters are longer than ${parametersUnits} characters`);
  const parsed: unknown = JSON.parse(parameters);
  if (!isObject(parsed)) throw new Error("the parameters are not an object");
  return parsed;
}
