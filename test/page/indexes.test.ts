/** Indexes, documents, settings and tasks in a real browser. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { skip, Visit } from "./browser.ts";

describe("indexes and tasks on the page", { skip, timeout: 300_000 }, () => {
  let visit: Visit;
  /** Takes requests and never answers. */
  let silent: Server;
  const main = () => visit.page.getByRole("main");
  const dialog = () => visit.page.getByRole("dialog");
  const told = (text: string | RegExp) => visit.page.getByRole("log").getByText(text).first().waitFor();
  const button = (name: string) => visit.page.getByRole("button", { name, exact: true });
  const drop = async (name: string, text: string) => {
    const files = main().getByLabel(/Drop files/);
    await files.setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  };

  before(async () => {
    silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    visit = await Visit.begin(await TestServer.start({ args: ["--experimental-allowed-ip-networks", "127.0.0.1/32"] }));
  });
  after(async () => {
    await visit?.end();
    silent?.closeAllConnections();
    silent?.close();
  });

  test("a server without indexes says what to do, and an index is created", async () => {
    await visit.open("");
    await main().getByText("There is nothing to search yet").waitFor();
    await main().getByRole("link", { name: "Create an index" }).click();
    for (const name of ["books", "drafts"]) {
      await button("Create an index").click();
      await dialog().getByLabel("Name").fill(name);
      await button("Create").click();
      await told(`Create ${name}: done`);
    }
    await main().getByRole("link", { name: "books" }).waitFor();
  });

  test("files are uploaded, and what is wrong with one is told", async () => {
    await visit.open("indexes/books");
    await main().getByText("Drop a file above").waitFor();
    await drop("books.csv", 'id,title,year:number\n1,"Emma, or\nso",1815\n2,Middlemarch,1871\n');
    await told("books.csv: done");
    await drop("more.ndjson", '{"id":3,"title":"Persuasion","year":1817}\n');
    await told("more.ndjson: done");
    await main().getByText("Emma, or\\nso").waitFor();
    await drop("broken.json", "[{");
    await told(/broken.json: .*malformed/);
    await drop("letter.doc", "Dear all");
    await told("only files that end in");
  });

  test("a file that is dropped shows how far it is", async () => {
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await visit.page.route("**/books/documents", async (route, request) => {
      if (request.method() === "POST") await held;
      await route.continue();
    });
    const carried = await visit.page.evaluateHandle(`(() => {
      const carried = new DataTransfer();
      carried.items.add(new File(['{"id":4,"title":"Villette"}'], "dropped.ndjson"));
      return carried;
    })()`);
    const zone = main().getByRole("region", { name: "Upload" });
    await zone.dispatchEvent("dragover", { dataTransfer: carried });
    await zone.dispatchEvent("drop", { dataTransfer: carried });
    await zone.getByRole("progressbar", { name: "Upload of dropped.ndjson" }).waitFor();
    letGo();
    await told("dropped.ndjson: done");
    await main().getByText("Villette").waitFor();
    await visit.page.unroute("**/books/documents");
    await visit.server.write("DELETE", "/indexes/books/documents/4");
  });

  test("a document is changed as JSON, and deleted", async () => {
    await button("Edit document 2").click();
    const text = dialog().getByLabel("JSON");
    await text.fill('{ "id": 2, ');
    assert.equal(await button("Save").isDisabled(), true);
    await text.fill('{ "id": 2, "title": "Middlemarch", "author": "George Eliot", "year": 1871 }');
    await button("Save").click();
    await told("Save the document: done");
    await main().getByText("George Eliot").waitFor();
    await button("Delete document 3").click();
    await button("Delete the document").click();
    await told("Delete document 3: done");
    await main().getByText("Persuasion").waitFor({ state: "detached" });
    const { body } = await visit.server.request<{ results: unknown[] }>("GET", "/indexes/books/documents");
    assert.equal(body.results.length, 2);
  });

  test("settings show what will change before it does, and documents can be filtered then", async () => {
    await main().getByRole("link", { name: "Settings" }).click();
    await main().getByLabel("filterableAttributes", { exact: true }).fill("year");
    await main().getByLabel("stopWords", { exact: true }).fill("or");
    await main().getByText("2 changed").waitFor();
    await button("Review the changes").click();
    const diff = dialog().getByRole("region", { name: "stopWords" });
    assert.match((await diff.textContent()) ?? "", /indexed again.*\+ {3}"or"/s);
    await button("Save").click();
    await told("Settings of books: done");
    await main().getByText("Nothing changed").waitFor();
    const { body } = await visit.server.request<Record<string, unknown>>("GET", "/indexes/books/settings");
    assert.deepEqual([body["filterableAttributes"], body["stopWords"]], [["year"], ["or"]]);
    await button("Default of stopWords").click();
    await button("Review the changes").click();
    await dialog().getByText("back to the default").waitFor();
    await button("Back").click();
    await main().getByRole("link", { name: "Documents" }).click();
    await main().getByLabel("Filter", { exact: true }).fill("year > 1850");
    await main().getByText("Emma").waitFor({ state: "detached" });
    await main().getByText("Middlemarch").waitFor();
  });

  test("fields are shown with their share, and embedders are added and removed", async () => {
    await main().getByRole("link", { name: "Fields" }).click();
    await main().getByRole("meter", { name: "Share of documents with author" }).waitFor();
    // Documents of the other index have no vectors, which such an embedder would not stand for.
    await visit.open("indexes/drafts/embedders");
    await button("Add an embedder").click();
    await dialog().getByLabel("Name").fill("mine");
    await dialog().getByLabel("All of it").fill('{ "source": "userProvided", "dimensions": 2 }');
    await button("Save").click();
    await main().getByRole("heading", { name: "mine" }).waitFor();
    await button("Remove mine").click();
    await button("Remove the embedder").click();
    await main().getByText("No embedders").waitFor();
  });

  test("indexes are swapped, and deleted when their name is typed", async () => {
    await visit.open("indexes");
    await button("Swap two").click();
    await button("Swap").click();
    await told(/Swap books and drafts: done/);
    await button("Delete books").click();
    assert.equal(await button("Delete the index").isDisabled(), true);
    await dialog().getByRole("textbox").fill("books");
    await button("Delete the index").click();
    await told("Delete books: done");
    const { body } = await visit.server.request<{ results: { uid: string }[] }>("GET", "/indexes");
    assert.deepEqual(
      body.results.map(({ uid }) => uid),
      ["drafts"],
    );
  });

  test("tasks come in by themselves, tell why they failed, and are filtered", async () => {
    const stream = visit.page.waitForResponse("**/tasks/stream");
    await visit.open("tasks");
    await main().getByText("index deletion").waitFor();
    assert.equal((await stream).headers()["content-type"], "text/event-stream");
    await visit.server.write("POST", "/indexes/drafts/documents", [{ name: "no id here" }]);
    await main()
      .getByText(/primary key/)
      .first()
      .waitFor();
    await main().getByLabel("Status").selectOption("failed");
    await main().getByText("index deletion").waitFor({ state: "detached" });
    await main()
      .getByRole("button", { name: /^Details of task/ })
      .first()
      .click();
    await dialog().getByText('"status": "failed"').waitFor();
    await visit.page.keyboard.press("Escape");
  });

  test("many tasks are seen in a few looks, and in none while nobody sees the page", async () => {
    let looks = 0;
    const count = (request: { url(): string }): void => {
      if (request.url().includes("/tasks?")) looks++;
    };
    const write = async (tasks: number): Promise<number> => {
      let last = 0;
      for (let i = 0; i < tasks; i++) {
        last = (await visit.server.write("POST", "/indexes/drafts/documents", [{ id: i }])).uid;
      }
      return last;
    };
    const row = (uid: number) => main().getByRole("button", { name: `Details of task ${uid}`, exact: true });
    const show = (state: string) =>
      visit.page.evaluate(`
        Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
        document.dispatchEvent(new Event("visibilitychange"));
      `);
    await main().getByLabel("Status").selectOption("");
    await row(await write(1)).waitFor();
    visit.page.on("request", count);

    const begin = performance.now();
    await row(await write(20)).waitFor();
    assert.ok(looks > 0 && looks <= (performance.now() - begin) / 500 + 2, `${looks} looks`);

    await show("hidden");
    const before = looks;
    const last = await write(5);
    assert.equal(looks, before);
    await show("visible");
    await row(last).waitFor();
    assert.ok(looks > before && looks <= before + 2, `${looks - before} looks`);
    visit.page.off("request", count);
  });

  test("a task under way shows how far it is, and is canceled", async () => {
    // An embedder that never answers keeps its task under way.
    const embedder = {
      source: "rest",
      url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
      request: "{{text}}",
      response: "{{embedding}}",
    };
    await visit.server.request("PATCH", "/indexes/slow/settings", { embedders: { mute: embedder } });
    await main().getByLabel("Status").selectOption("processing");
    await main().getByRole("progressbar").waitFor();
    await main()
      .getByRole("button", { name: /^Cancel task/ })
      .click();
    await told(/^Cancel task \d+: done/);
    await main().getByLabel("Status").selectOption("canceled");
    await main().getByRole("cell", { name: "slow" }).waitFor();
  });

  test("the browser has nothing to complain about", () => {
    assert.deepEqual(visit.outside, []);
    assert.deepEqual(visit.complaints, []);
  });
});
