/** Searching in a real browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Request } from "playwright-core";
import { TestServer } from "../lib/server.ts";
import { skip, Visit } from "./browser.ts";
import { addFilms, KEY } from "./documents.ts";

describe("search on the page", { skip, timeout: 300_000 }, () => {
  let visit: Visit;
  const main = () => visit.page.getByRole("main");
  const status = () => main().getByRole("status");
  const query = () => visit.page.getByRole("searchbox", { name: "Search" });

  before(async () => {
    const server = await TestServer.start({ key: KEY });
    await addFilms(server);
    visit = await Visit.begin(server);
  });
  after(() => visit?.end());

  test("asks for a key, keeps it in the tab, and finds as one types", async () => {
    await visit.open("");
    const dialog = visit.page.getByRole("dialog", { name: "Key" });
    await dialog.getByLabel("Key", { exact: true }).fill(KEY);
    await dialog.getByRole("button", { name: "Use this key" }).click();
    await status()
      .getByText(/^45 hits/)
      .waitFor();
    await query().pressSequentially("harbuor");
    await status()
      .getByText(/^5 hits/)
      .waitFor();
    await main().locator("li.hit mark").getByText("harbour", { exact: true }).first().waitFor();
    const kept = "[Object.values(sessionStorage), Object.values(localStorage)]";
    assert.deepEqual(await visit.page.evaluate(kept), [[KEY], ["system"]]);
    await visit.page.reload();
    await status()
      .getByText(/^45 hits/)
      .waitFor();
  });

  test("an answer that comes late does not take the place of a newer one", async () => {
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const isFirst = (request: Request) => (request.postDataJSON() as { q: string } | null)?.q === "loud";
    await visit.page.route("**/films/search", async (route, request) => {
      if (isFirst(request)) await held;
      await route.continue();
    });
    const late = visit.page.waitForResponse((response) => isFirst(response.request()));
    await query().fill("loud");
    await query().fill("harbour");
    await status()
      .getByText(/^5 hits/)
      .waitFor();
    letGo();
    await (await late).finished();
    await visit.page.unroute("**/films/search");
    await visit.page.evaluate("new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)))");
    assert.match((await status().textContent()) ?? "", /^5 hits/);
    await query().fill("");
    await status()
      .getByText(/^45 hits/)
      .waitFor();
  });

  test("facets narrow, ranges bound, the builder writes filters, and all of it goes into the code", async () => {
    await main().getByRole("checkbox", { name: "Drama" }).check();
    await status()
      .getByText(/^15 hits/)
      .waitFor();
    await main().getByLabel("year from").fill("2000");
    await status()
      .getByText(/^5 hits/)
      .waitFor();
    await main().getByText("Build a filter").click();
    await main().getByLabel("Attribute").selectOption("year");
    await main().getByLabel("Condition").selectOption("<");
    await main().getByLabel("Value").fill("2010");
    await main().getByRole("button", { name: "Add to the filter" }).click();
    await status()
      .getByText(/^4 hits/)
      .waitFor();
    assert.equal(await main().getByRole("textbox", { name: "Filter" }).inputValue(), "year < 2010");
    await main().getByText("This search as code").click();
    const code = (await main().getByRole("region", { name: "curl" }).textContent()) ?? "";
    assert.match(code, /"year < 2010",\s+"genre = \\"Drama\\"",\s+"year >= 2000"/);
    assert.equal(code.includes(KEY), false);
    const client = (await main().getByRole("region", { name: "JavaScript" }).textContent()) ?? "";
    assert.match(client, /index\("films"\)\.search\(/);
    await status()
      .getByText(/\d+ ms/)
      .waitFor();
  });

  test("a filter that is wrong is explained in the server's words", async () => {
    await main().getByRole("textbox", { name: "Filter" }).fill("colour = blue");
    await main().getByRole("alert").getByText("not filterable").waitFor();
    await main().getByRole("textbox", { name: "Filter" }).fill("");
    await main().getByRole("checkbox", { name: "Drama" }).uncheck();
    await main().getByLabel("year from").fill("");
    await status()
      .getByText(/^45 hits/)
      .waitFor();
  });

  test("sorts, turns pages, and shows pictures, places and scores", async () => {
    await main().getByLabel("Sort").selectOption("year:desc");
    await main().getByRole("heading", { name: "A loud mountain 44" }).waitFor();
    await main().getByRole("button", { name: "Next" }).click();
    await main().getByText("Page 2 of 3").waitFor();
    await main().getByRole("heading", { name: "A loud mountain 24" }).waitFor();
    assert.equal(await main().locator("li.hit img").count(), 20);
    await main().getByRole("checkbox", { name: "Pictures" }).uncheck();
    await main().locator("li.hit img").first().waitFor({ state: "detached" });
    await main().getByRole("img", { name: "Map of 20 hits" }).waitFor();
    await main().getByLabel("Sort").selectOption("");
    await query().fill("mountain");
    // A hit of the answer before would be gone again, with what was opened of it.
    await status()
      .getByText(/^40 hits/)
      .waitFor();
    await main().getByText("Why here").first().click();
    await main().getByRole("meter", { name: "words" }).first().waitFor();
  });

  test("a click on the map leaves what is around it, and numbers say the same", async () => {
    const map = main().getByRole("img", { name: /^Map of \d+ hits/ });
    await query().fill("");
    await status()
      .getByText(/^45 hits/)
      .waitFor();
    // Others lie at the same place, above it.
    await map.getByText("A loud mountain 1", { exact: true }).locator("..").click({ force: true });
    await status()
      .getByText(/^15 hits/)
      .waitFor();
    assert.ok(Math.abs(Number(await main().getByLabel("Latitude").inputValue()) - 52.52) < 1);
    assert.match(
      (await main().getByRole("region", { name: "curl" }).textContent()) ?? "",
      /_geoRadius\(5[12]\.\d+, 13\./,
    );
    await main().getByLabel("Within, in km").fill("5000");
    await main().getByLabel("Within, in km").press("Enter");
    await status()
      .getByText(/^45 hits/)
      .waitFor();
    await main().getByLabel("Latitude").fill("-40");
    await main().getByLabel("Within, in km").fill("10");
    await main().getByLabel("Within, in km").press("Enter");
    await main().getByRole("button", { name: "Everywhere" }).click();
    await status()
      .getByText(/^45 hits/)
      .waitFor();
    await main()
      .getByRole("button", { name: /^Map of/ })
      .press("Enter");
    await main().getByLabel("Latitude").waitFor();
    await main().getByRole("button", { name: "Everywhere" }).click();
    await query().fill("mountain");
  });

  test("searches by meaning with a ratio, and shows what is like a hit", async () => {
    await main().getByLabel("Semantic search").selectOption("mine");
    const asked = visit.page.waitForRequest((request) => /"semanticRatio":0.2\b/.test(request.postData() ?? ""));
    await main().getByLabel("Semantic ratio").fill("0.2");
    await asked;
    await status().getByText("by meaning").waitFor();
    await main().getByRole("button", { name: "Similar documents" }).first().click();
    const dialog = visit.page.getByRole("dialog");
    await dialog.getByRole("listitem").first().waitFor();
    assert.equal(await dialog.getByRole("listitem").count(), 10);
    await visit.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("says where counting ended, and offers pictures only where there are some", async () => {
    await visit.server.write("PATCH", "/indexes/films/settings", { pagination: { maxTotalHits: 30 } });
    await visit.server.write("POST", "/indexes/plain/documents", [{ id: 1, title: "A quiet lake" }]);
    await visit.open("search/plain");
    await visit.page.reload();
    await status()
      .getByText(/^1 hit in/)
      .waitFor();
    assert.equal(await main().getByRole("checkbox", { name: "Pictures" }).count(), 0);
    await visit.open("search/films");
    await status()
      .getByText(/^30 or more hits/)
      .waitFor();
    await main().getByRole("checkbox", { name: "Pictures" }).waitFor();
  });

  test("asks nobody else, and the browser has nothing to complain about", () => {
    assert.deepEqual(visit.outside, []);
    assert.deepEqual(visit.complaints, []);
  });
});
