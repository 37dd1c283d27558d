/** The documentation in a real browser: for everybody, on phones, dark and light, with a search. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TestServer } from "../../lib/server.ts";
import { bringAxe, SCHEMES, violations } from "../axe.ts";
import { skip, Visit } from "../browser.ts";

/** With tables, with long lines, with pictures, with many headings. */
const PAGES = ["", "/getting-started", "/reference/settings", "/command-line", "/page", "/architecture", "/readme"];

describe("the documentation in a browser", { skip, timeout: 300_000 }, () => {
  let visit: Visit;
  const open = (page: string) => visit.page.goto(`${visit.server.base}/docs${page}`);
  const query = () => visit.page.getByRole("searchbox", { name: "Search the documentation" });
  before(async () => {
    visit = await Visit.begin(await TestServer.start());
  });
  after(() => visit?.end());

  for (const [colorScheme, rules] of SCHEMES) {
    test(`axe finds nothing in ${colorScheme}`, async () => {
      await visit.page.emulateMedia({ colorScheme });
      for (const page of PAGES) {
        await open(page);
        await bringAxe(visit.page);
        await query().fill("filter");
        await visit.page.getByRole("status").getByText(/found/).waitFor();
        assert.deepEqual(await violations(visit.page, rules), [], page);
      }
    });
  }

  test("the page leads to it, and it leads back", async () => {
    await visit.open("indexes");
    await visit.page.getByRole("link", { name: "Docs" }).click();
    await visit.page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();
    await visit.page.getByRole("link", { name: "The server", exact: true }).click();
    await visit.page.getByRole("link", { name: "Indexes" }).waitFor();
  });

  test("it is searched by keyboard, as one types", async () => {
    await open("/geo");
    await visit.page.keyboard.press("/");
    await visit.page.keyboard.type("synonym");
    await visit.page.getByRole("search").getByRole("link").first().waitFor();
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("heading", { name: /synonyms/i, level: 1 }).waitFor();
    await query().fill("harbourmaster of zebras");
    await visit.page.getByText("Nothing found").waitFor();
    await visit.page.keyboard.press("Escape");
    await visit.page.getByText("Nothing found").waitFor({ state: "hidden" });
  });

  test("what is to be pasted is copied by a click", async () => {
    await visit.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("/filters-and-facets");
    await visit.page.getByRole("button", { name: "Copy" }).nth(1).click();
    await visit.page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = (await visit.page.evaluate("navigator.clipboard.readText()")) as string;
    assert.match(copied, /^curl -X POST localhost:7700\/indexes\/shop\/search .*brand = wulf/s);
  });

  test("pages are turned, and the contents show where one is", async () => {
    await open("/filters-and-facets");
    const contents = visit.page.getByRole("navigation", { name: "Contents" });
    const current = contents.locator("[aria-current=page]");
    assert.equal(await current.textContent(), "Filters and facets");
    await visit.page.getByText("Next:").getByRole("link").click();
    await visit.page.waitForURL("**/docs/sorting-and-relevancy");
    assert.equal(await current.count(), 1);
  });

  test("colours can be chosen, and stay", async () => {
    const back = () => visit.page.evaluate("getComputedStyle(document.body).backgroundColor");
    await visit.page.emulateMedia({ colorScheme: "light" });
    const light = await back();
    await visit.page.getByLabel("Colours").selectOption("dark");
    assert.notEqual(await back(), light);
    await open("");
    assert.notEqual(await back(), light);
    await visit.page.getByLabel("Colours").selectOption("system");
  });

  test("on a phone nothing sticks out, and the contents are a tap away", async () => {
    await visit.page.setViewportSize({ width: 360, height: 740 });
    for (const page of PAGES) {
      await open(page);
      const widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";
      const [wanted, there] = (await visit.page.evaluate(widths)) as [number, number];
      assert.ok(wanted <= there, `${page}: ${wanted} pixels wide`);
    }
    await visit.page.getByRole("link", { name: "Contents", exact: true }).click();
    await visit.page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Places" }).click();
    await visit.page.waitForURL("**/docs/geo");
  });

  test("nobody else was asked, and the browser has nothing to complain about", () => {
    assert.deepEqual(visit.outside, []);
    assert.deepEqual(visit.complaints, []);
  });
});
