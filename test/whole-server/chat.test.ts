/** Conversations with a model that is a small server of our own and says what each test wants it to say. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { limits } from "../../src/base/limits.ts";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";

interface Message {
  role: string;
  content: string;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

interface Asked {
  path: string;
  headers: IncomingMessage["headers"];
  body: { model: string; messages: Message[]; tools: { function: { name: string; description: string } }[] };
}

type Turn = (response: ServerResponse) => void | Promise<void>;

const KEY = "a-master-key-of-16";
let server: TestServer;
let model: Server;
let modelUrl: string;
let turns: Turn[] = [];
let asked: Asked[] = [];

before(async () => {
  model = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      asked.push({
        path: request.url!,
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      await turns.shift()!(response);
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  server = await TestServer.start({ key: KEY, args: ["--experimental-allowed-ip-networks", "127.0.0.1/32"] });
  await server.request("PATCH", "/experimental-features", { chatCompletions: true });
  await server.write("PATCH", "/indexes/birds/settings", {
    filterableAttributes: ["water"],
    displayedAttributes: ["id", "name"],
    chat: { description: "every bird there is", documentTemplate: "a bird called {{ doc.name }}" },
  });
  await server.write("POST", "/indexes/birds/documents", [
    { id: 1, name: "heron", water: "river" },
    { id: 2, name: "puffin", water: "sea" },
    { id: 3, name: "grey heron", water: "river" },
  ]);
  await server.write("POST", "/indexes/trees/documents", [{ id: 1, name: "oak" }]);
  const settings = { source: "vLlm", baseUrl: `${modelUrl}/v1/`, apiKey: "secret", prompts: { system: "Be brief." } };
  await server.request("PATCH", "/chats/nature/settings", settings);
});

after(async () => {
  model.close();
  await server.dispose();
});

/** Pieces of a turn, each an event; sent in crumbs, so that no event arrives whole. */
const says =
  (...chunks: object[]): Turn =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
      .map((data) => `data: ${data}\n\n`)
      .join("");
    for (let at = 0; at < text.length; at += 37) {
      response.write(text.slice(at, at + 37));
      await new Promise((resume) => setImmediate(resume));
    }
    response.end();
  };

const word = (content: string, finish_reason: string | null = null) => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta: { content }, finish_reason }],
});
const call = (index: number, part: { id?: string; name?: string; parameters: string }) => ({
  id: "c1",
  model: "m",
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index, id: part.id, function: { name: part.name, arguments: part.parameters } }] },
      finish_reason: null,
    },
  ],
});
const endOfCalls = { id: "c1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
const searches = (parameters: object): Turn => {
  const text = JSON.stringify(parameters);
  const half = text.length >> 1;
  return says(
    call(0, { id: "t1", name: "_meiliSearchInIndex", parameters: text.slice(0, half) }),
    call(0, { parameters: text.slice(half) }),
    endOfCalls,
  );
};
const helper = (name: string) => ({ type: "function", function: { name } });

interface Event {
  choices?: { delta: { content?: string; tool_calls?: { function: { name: string; arguments: string } }[] } }[];
  error?: { type: string; code: string | null; message: string };
}

interface Heard {
  status: number;
  type: string | null;
  events: Event[];
  text: string;
}

async function ask(body: object, script: Turn[], workspace = "nature", key = KEY): Promise<Response> {
  turns = script;
  asked = [];
  const request = { model: "m", messages: [{ role: "user", content: "Which birds?" }], stream: true, ...body };
  return fetch(`${server.base}/chats/${workspace}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(request),
  });
}

async function heardOf(answer: Response): Promise<Heard> {
  const text = await answer.text();
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => json!);
  if (answer.status === 200) assert.equal(data.pop(), "[DONE]");
  const events = data.map((json) => JSON.parse(json) as Event);
  return { status: answer.status, type: answer.headers.get("content-type"), events, text };
}

async function talk(body: object, script: Turn[], workspace?: string, key?: string): Promise<Heard> {
  return heardOf(await ask(body, script, workspace, key));
}

const contents = ({ events }: Heard): string => events.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");

test("what the model says is passed on, and it is told who it is and what it may search", async () => {
  const heard = await talk({ temperature: 0.5 }, [says(word("Hel"), word("lo."), word("", "stop"))]);
  assert.equal(heard.type, "text/event-stream");
  assert.ok(heard.text.startsWith("retry: 10000\n\n"));
  assert.equal(contents(heard), "Hello.");
  const [{ path, headers, body }] = asked as [Asked];
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.authorization, "Bearer secret");
  assert.deepEqual(body.messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Which birds?" },
  ]);
  assert.equal((body as unknown as { temperature: number }).temperature, 0.5);
  const [tool] = body.tools;
  assert.match(tool!.function.description, /birds: every bird there is/);
  assert.match(JSON.stringify(tool), /water: river, sea\./);
  assert.match(JSON.stringify(tool), /"enum":\["birds","trees"\]/);
});

test("what the model looks up is found here, and it goes on with that", async () => {
  const heard = await talk({}, [
    searches({ index_uid: "birds", q: "heron", filter: "water = river" }),
    says(word("Herons.", "stop")),
  ]);
  assert.equal(contents(heard), "Herons.");
  assert.equal(heard.events.length, 1, "searching is not shown unless asked for");
  const { messages } = asked[1]!.body;
  assert.equal(messages.length, 4);
  assert.equal(messages[2]!.tool_calls![0]!.id, "t1");
  assert.equal(messages[3]!.tool_call_id, "t1");
  assert.equal(messages[3]!.content, "a bird called heron\na bird called grey heron");
});

test("a client that declares the tools for it is told what goes on", async () => {
  const tools = ["_meiliSearchProgress", "_meiliSearchSources", "_meiliAppendConversationMessage"].map(helper);
  const script = [searches({ index_uid: "birds", q: "puffin", filter: "" }), says(word("One.", "stop"))];
  const heard = await talk({ tools }, script);
  const reports = heard.events.flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? []);
  assert.deepEqual(
    reports.map(({ function: { name } }) => name.replace("_meili", "")),
    ["SearchProgress", "AppendConversationMessage", "SearchSources", "AppendConversationMessage"],
  );
  const [progress, callMessage, sources, toolMessage] = reports.map((report) => JSON.parse(report.function.arguments));
  assert.equal(progress.call_id, "t1");
  assert.equal(JSON.parse(progress.function_arguments).q, "puffin");
  assert.equal(callMessage.role, "assistant");
  assert.deepEqual(sources, { call_id: "t1", sources: [{ id: 2, name: "puffin" }] });
  assert.deepEqual(toolMessage, { role: "tool", tool_call_id: "t1", content: "a bird called puffin" });
  assert.equal(asked[0]!.body.tools.length, 1, "the model does not see them");
});

test("a search that fails is told to the model and to the client, and the conversation goes on", async () => {
  const script = [searches({ index_uid: "birds", q: "", filter: "name = x" }), says(word("Sorry.", "stop"))];
  const heard = await talk({}, script);
  assert.equal(heard.events[0]!.error!.code, "invalid_search_filter");
  assert.match(asked[1]!.body.messages[3]!.content, /^The search failed: /);
  assert.equal(contents(heard), "Sorry.");
});

// The interface: "up to 20 rounds of tool calls"
test("a model that never stops searching is stopped", async () => {
  const script = Array.from({ length: 30 }, () => searches({ index_uid: "trees", q: "oak", filter: "" }));
  await talk({}, script);
  assert.equal(asked.length, 20);
});

test("a client that reads slowly gets everything, and the model waits for it", async () => {
  const long = "x".repeat(32 * 1024);
  const last = 200;
  let waits: () => void = () => {};
  const hasWaited = new Promise<void>((resume) => {
    waits = resume;
  });
  const rambling: Turn = async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; i <= last; i++) {
      if (response.write(`data: ${JSON.stringify(word(`${i} ${long}`, i === last ? "stop" : null))}\n\n`)) continue;
      waits();
      await new Promise((resume) => response.once("drain", resume));
    }
    response.end("data: [DONE]\n\n");
  };
  const answer = await ask({}, [rambling]);
  await hasWaited;
  const { events } = await heardOf(answer);
  assert.deepEqual(
    events.map(({ choices }) => Number.parseInt(choices![0]!.delta.content!, 10)),
    Array.from({ length: last + 1 }, (_, i) => i),
  );
});

test("only so many conversations are held at once, and each that ends makes room", async () => {
  const waiting: ServerResponse[] = [];
  const pausing: Turn = (response) =>
    void waiting.push(response.writeHead(200, { "content-type": "text/event-stream" }));
  const script = Array.from({ length: limits.conversations }, () => pausing);
  const held = await Promise.all(script.map(() => ask({}, script)));
  await until(
    () => waiting.length >= limits.conversations,
    () => "all conversations wait",
  );
  const refused = await ask({}, []);
  assert.equal(refused.status, 503);
  assert.ok(refused.headers.has("retry-after"));
  await refused.text();
  for (const response of waiting) response.end(`data: ${JSON.stringify(word("Done.", "stop"))}\n\n`);
  for (const answer of held) assert.equal(contents(await heardOf(answer)), "Done.");
  assert.equal(contents(await talk({}, [says(word("Again.", "stop"))])), "Again.");
});

test("keys that may not search an index find nothing in it, and do not hear of it", async () => {
  const rights = { actions: ["chatCompletions", "search"], indexes: ["trees"], expiresAt: null };
  const { body: scoped } = await server.request<{ key: string }>("POST", "/keys", rights);
  const script = [searches({ index_uid: "birds", q: "", filter: "" }), says(word("No.", "stop"))];
  const heard = await talk({}, script, "nature", scoped.key);
  assert.doesNotMatch(JSON.stringify(asked[0]!.body.tools), /birds/);
  assert.equal(heard.events[0]!.error!.code, "invalid_api_key");
});

test("what goes wrong at the model is an event of the stream", async () => {
  const error = { message: "too many", type: "rate_limit", code: "slow_down", param: null };
  const refusing: Turn = (response) => {
    response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  };
  const refused = await talk({}, [refusing]);
  assert.equal(refused.events[0]!.error!.type, "rate_limit");
  assert.equal(refused.events[0]!.error!.code, "slow_down");
  const breaking: Turn = (response) => {
    response.writeHead(200).write(`data: ${JSON.stringify(word("Half"))}\n\n`, () => response.destroy());
  };
  const broken = await talk({}, [breaking]);
  assert.equal(contents(broken), "Half");
  assert.equal(broken.events[1]!.error!.type, "transport_error");
  await server.request("PATCH", "/chats/away/settings", { source: "vLlm", baseUrl: "http://127.0.0.1:1/v1" });
  const away = await talk({}, [], "away");
  assert.equal(away.events[0]!.error!.type, "transport_error");
});

test("what cannot be had is refused before the stream begins", async () => {
  const refusal = async (body: object, workspace?: string) => {
    const { status, text } = await talk(body, [], workspace);
    return [status, (JSON.parse(text) as { code: string }).code];
  };
  assert.deepEqual(await refusal({}, "none"), [404, "chat_not_found"]);
  assert.deepEqual(await refusal({ stream: false }), [501, "unimplemented_non_streaming_chat_completions"]);
  assert.deepEqual(await refusal({ n: 2 }), [501, "unimplemented_multi_choice_chat_completions"]);
  assert.deepEqual(await refusal({ tools: [helper("weather")] }), [501, "unimplemented_external_function_calling"]);
  assert.deepEqual(await refusal({ tools: [helper("_meiliSearchInIndex")] }), [400, "bad_request"]);
  assert.deepEqual(await refusal({ messages: "hello" }), [400, "bad_request"]);
  assert.deepEqual(await refusal({ model: 1 }), [400, "bad_request"]);
});
