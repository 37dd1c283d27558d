/**
 * How much a model may look up. The interface: "up to 20 rounds of tool calls"; searches, what is asked for and what is told are bounded
 * too, and so is the time.
 */

import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../../src/base/json/value.ts";
import type { OutgoingRequest } from "../../../src/base/net/outgoing.ts";
import { CALLS_HEARD_MAX, CHAT_BOUNDS, type ChatBounds } from "../../../src/server/front/chat/bounds.ts";
import { converse } from "../../../src/server/front/chat/conversation.ts";

interface Heard {
  events: string[];
  /** What the model was told in each turn. */
  told: JsonObject[][];
  searched: JsonObject[];
  timeouts: number[];
}

/** Calls of one turn, by their parameters; none is the end. */
type Turn = string[];

async function talk(turns: Turn[], bounds: Partial<ChatBounds> = {}, found = "found"): Promise<Heard> {
  const heard: Heard = { events: [], told: [], searched: [], timeouts: [] };
  await converse({
    completion: { model: "m", messages: [{ role: "user", content: "?" }], tools: [], others: {} },
    instructions: { role: "system", content: "" },
    searchTool: {},
    reports: { progress: false, sources: false, messages: false },
    address: { url: "http://model.test", headers: {} },
    bounds: { ...CHAT_BOUNDS, ...bounds },
    outgoing: {
      async open(request: OutgoingRequest) {
        heard.told.push((JSON.parse(String(request.body)) as { messages: JsonObject[] }).messages);
        heard.timeouts.push(request.timeoutMs);
        return { status: 200, body: said(turns.shift() ?? []) };
      },
    },
    async search(parameters) {
      heard.searched.push(parameters);
      return { documents: [], text: found };
    },
    write: async (chunk) => void heard.events.push(chunk),
    signal: new AbortController().signal,
  });
  return heard;
}

async function* said(calls: Turn): AsyncGenerator<Uint8Array> {
  const line = (delta: object, finish_reason: string | null) =>
    Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  for (const [index, text] of calls.entries()) {
    const name = "_meiliSearchInIndex";
    yield line({ tool_calls: [{ index, id: `t${index}`, function: { name, arguments: text } }] }, null);
  }
  yield calls.length > 0 ? line({}, "tool_calls") : line({ content: "Done." }, "stop");
}

const errorsOf = ({ events }: Heard): string[] => events.filter((each) => each.includes('"error"'));
const answers = (messages: JsonObject[]) =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => content);

test("searches beyond the bounds of a turn and of all turns are not made, and every call is answered", async () => {
  const heard = await talk([Array(5).fill("{}"), Array(5).fill("{}"), []], { callsPerRound: 3, calls: 4 });
  assert.equal(heard.searched.length, 4);
  const refused = "Not searched: there were too many searches already.";
  assert.deepEqual(answers(heard.told[2]!), [
    ...Array(3).fill("found"),
    ...Array(2).fill(refused),
    "found",
    ...Array(4).fill(refused),
  ]);
  assert.deepEqual(errorsOf(heard), []);
});

test("a model that goes on after its last turn is stopped, and the client is told", async () => {
  const heard = await talk(
    Array.from({ length: 30 }, () => ["{}"]),
    { rounds: 4 },
  );
  assert.equal(heard.told.length, 4);
  assert.equal(heard.searched.length, 3);
  assert.match(errorsOf(heard)[0]!, /after 4 turns/);
  assert.equal(heard.events.at(-1), "data: [DONE]\n\n");
});

test("a model that wants more at once than anybody could is stopped", async () => {
  const heard = await talk([Array(CALLS_HEARD_MAX + 1).fill("{}")]);
  assert.equal(heard.searched.length, 0);
  assert.match(errorsOf(heard)[0]!, /too many searches at once/);
});

test("parameters that are too long are not looked at, and not sent back", async () => {
  const heard = await talk([[JSON.stringify({ q: "x".repeat(200) })], []], { parametersUnits: 100 });
  assert.equal(heard.searched.length, 0);
  assert.match(String(answers(heard.told[1]!)[0]), /longer than 100 characters/);
  assert.ok(!JSON.stringify(heard.told[1]).includes("xxx"));
});

test("what was found is told as far as it fits", async () => {
  const heard = await talk([["{}"], []], { resultUnits: 10 }, "0123456789abcdef");
  assert.match(String(answers(heard.told[1]!)[0]), /^0123456789\n\(The rest/);
});

test("the time is that of the whole conversation", async () => {
  const heard = await talk([["{}"], ["{}"], []], { talkMs: 5000 });
  assert.ok(heard.timeouts[0]! <= 5000 && heard.timeouts[2]! <= heard.timeouts[0]!);
  const late = await talk([[]], { talkMs: 0 });
  assert.equal(late.told.length, 0);
  assert.match(errorsOf(late)[0]!, /took longer than 0 s/);
});
