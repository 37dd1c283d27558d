/** Keys, tokens, backups, features, network, metrics and chats in a real browser. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { tenantToken } from "../../src/page/keys/token.ts";
import { bucketsOf, percentile, samplesIn, sumOf } from "../../src/page/server/metrics.ts";
import { TestServer } from "../lib/server.ts";
import { skip, Visit } from "./browser.ts";
import { addFilms, KEY } from "./documents.ts";

/** A model that says the same to everybody. */
async function startModel(): Promise<Server> {
  const model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of ["Watch the ", "quiet harbour."]) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    }
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  return model;
}

describe("keys and the server on the page", { skip, timeout: 300_000 }, () => {
  let visit: Visit;
  let model: Server;
  const main = () => visit.page.getByRole("main");
  const dialog = () => visit.page.getByRole("dialog");
  const told = (text: string | RegExp) => visit.page.getByRole("log").getByText(text).first().waitFor();
  const button = (name: string) => visit.page.getByRole("button", { name, exact: true });

  before(async () => {
    model = await startModel();
    const args = ["--experimental-allowed-ip-networks", "127.0.0.1/32"];
    const server = await TestServer.start({ key: KEY, args });
    await addFilms(server);
    visit = await Visit.begin(server);
    await visit.open("keys");
    await dialog().getByLabel("Key", { exact: true }).fill(KEY);
    await button("Use this key").click();
  });
  after(async () => {
    model?.close();
    await visit?.end();
  });

  test("a key is made, a token from it narrows searches, and the key is deleted", async () => {
    await button("Make a key").click();
    await dialog().getByLabel("Name").fill("for the shop");
    await dialog().getByLabel("Indexes").fill("films");
    await button("Make the key").click();
    const card = main().getByRole("region", { name: "for the shop" });
    await card.getByRole("button", { name: "Make a token" }).click();
    await dialog().getByLabel("Search rules").fill('{ "films": { "filter": "genre = Western" } }');
    await button("Make the token").click();
    const token = (await dialog().getByRole("region", { name: "Token" }).locator("code").textContent()) ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const found = await visit.server.request<{ estimatedTotalHits: number }>(
      "POST",
      "/indexes/films/search",
      {},
      headers,
    );
    assert.equal(found.body.estimatedTotalHits, 15);
    await visit.page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Delete" }).click();
    await button("Delete the key").click();
    await card.waitFor({ state: "detached" });
    assert.equal((await visit.server.request("POST", "/indexes/films/search", {}, headers)).status, 403);
  });

  test("a dump and a snapshot are made, and the numbers are shown, with requests once metrics are on", async () => {
    await visit.open("server");
    await main().getByRole("region", { name: "Documents" }).getByText("45").waitFor();
    await button("Make a dump").click();
    await button("Make the dump").click();
    await told("Make a dump: done");
    assert.equal(readdirSync(path.join(visit.server.directory, "dumps")).length, 1);
    await button("Take a snapshot").click();
    await button("Make the snapshot").click();
    await told("Make a snapshot: done");
    assert.equal(readdirSync(path.join(visit.server.directory, "snapshots")).length, 1);
    await main().getByLabel("metrics", { exact: true }).check();
    await main()
      .getByRole("region", { name: "Requests a second" })
      .getByText(/\d\.\d/)
      .waitFor();
    await main()
      .getByRole("region", { name: "Memory" })
      .getByText(/^\d+(\.\d+)? MB$/)
      .waitFor();
  });

  test("a network is set up", async () => {
    await main().getByLabel("network", { exact: true }).check();
    const remotes = { other: { url: "http://127.0.0.1:9", searchApiKey: "x" } };
    await main()
      .getByLabel("Change it")
      .fill(JSON.stringify({ self: "here", remotes }));
    await button("Save the network").click();
    await main().getByText("http://127.0.0.1:9").first().waitFor();
    await main().getByText("called here").waitFor();
  });

  test("a chat is off until it is turned on, then it answers word by word", async () => {
    await visit.open("chat");
    await main().getByText("Chats are off").waitFor();
    await visit.server.request("PATCH", "/experimental-features", { chatCompletions: true });
    await visit.page.reload();
    await main().getByText("No workspaces yet").waitFor();
    await main().getByLabel("New workspace").fill("guide");
    await button("Make the workspace").click();
    await main().getByText("Settings of guide").click();
    const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1/`;
    const settings = { source: "vLlm", baseUrl, apiKey: "secret" };
    await main()
      .getByLabel(/Source, key/)
      .fill(JSON.stringify(settings));
    await button("Save").click();
    await told("Settings of guide: done");
    await main().getByLabel("Question").fill("What shall I watch?");
    await button("Ask").click();
    await main().getByText("Watch the quiet harbour.").waitFor();
  });

  test("a key that may not do something is told so, and what to do", async () => {
    const { body } = await visit.server.request<{ results: { name: string; key: string }[] }>("GET", "/keys");
    const search = body.results.find(({ name }) => name === "Default Search API Key")!.key;
    await button("Key ✓").click();
    await dialog().getByLabel("Key", { exact: true }).fill(search);
    await button("Use this key").click();
    await visit.open("tasks");
    await main().getByRole("alert").getByText("Enter a key that may do this").waitFor();
    await visit.open("search/films");
    await main()
      .getByRole("status")
      .getByText(/^45 hits/)
      .waitFor();
  });

  test("the browser has nothing to complain about", () => {
    assert.deepEqual(visit.outside, []);
    assert.deepEqual(visit.complaints, []);
  });
});

test("a token is what others would make of the same", async () => {
  const claims = { apiKeyUid: "6f1c", searchRules: { "*": { filter: "näme = 1" } }, exp: 1_900_000_000 };
  const token = await tenantToken(claims, "secret ✓");
  const [head, body, signature] = token.split(".");
  assert.deepEqual(JSON.parse(Buffer.from(head!, "base64url").toString()), { alg: "HS256", typ: "JWT" });
  assert.deepEqual(JSON.parse(Buffer.from(body!, "base64url").toString()), claims);
  assert.equal(signature, createHmac("sha256", "secret ✓").update(`${head}.${body}`).digest("base64url"));
});

test("rates and percentiles come from two looks at the metrics", () => {
  const look = (fast: number, slow: number) =>
    samplesIn(`# TYPE t histogram
t_bucket{path="/a \\"b\\"",le="0.1"} ${fast}
t_bucket{path="/a \\"b\\"",le="1"} ${fast + slow}
t_bucket{path="/a \\"b\\"",le="+Inf"} ${fast + slow}
t_bucket{path="/c",le="+Inf"} 0
requests_total ${fast + slow}`);
  const before = look(1000, 0);
  const after = look(1090, 10);
  assert.equal(sumOf(after, "requests_total") - sumOf(before, "requests_total"), 100);
  const within = (share: number) => percentile(bucketsOf(before, "t_bucket"), bucketsOf(after, "t_bucket"), share);
  assert.deepEqual([within(0.5), within(0.9), within(0.99)], [0.1, 0.1, 1]);
  assert.equal(percentile(bucketsOf(after, "t_bucket"), bucketsOf(after, "t_bucket"), 0.5), null);
});
