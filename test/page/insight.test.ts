/** What is searched, on the page of an index; only where it is counted. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { skip, Visit } from "./browser.ts";
import { addFilms, KEY } from "./documents.ts";

describe("insight on the page", { skip, timeout: 300_000 }, () => {
  const visits: Visit[] = [];
  const begin = async (args: string[]): Promise<Visit> => {
    const server = await TestServer.start({ key: KEY, args });
    await addFilms(server);
    const visit = await Visit.begin(server);
    visits.push(visit);
    await visit.open("indexes/films");
    await visit.page.getByRole("dialog").getByLabel("Key", { exact: true }).fill(KEY);
    await visit.page.getByRole("button", { name: "Use this key", exact: true }).click();
    return visit;
  };
  after(() => Promise.all(visits.map((visit) => visit.end())));

  test("queries are listed by what became of them", async () => {
    const visit = await begin(["--analytics-local"]);
    const { page, server } = visit;
    for (const q of ["harbour", "harbour", "zzzz"]) await server.request("POST", "/indexes/films/search", { q });
    await page.getByRole("link", { name: "Insight" }).click();
    const cells = (list: string) => page.getByRole("region", { name: list, exact: true }).getByRole("cell");
    await cells("Searched most").first().waitFor();
    await cells("Found nothing").first().waitFor();
    assert.deepEqual((await cells("Searched most").allTextContents()).slice(0, 2), ["harbour", "2"]);
    assert.deepEqual(await cells("Found nothing").allTextContents(), ["zzzz", "1"]);
    await page.getByRole("region", { name: "Opened most" }).getByText("None.").waitFor();
    assert.deepEqual(visit.complaints, []);
  });

  test("a server that does not count shows no such tab", async () => {
    const { page } = await begin([]);
    const probed = page.waitForResponse((response) => response.url().includes("/analytics/"));
    await page.reload();
    assert.equal((await probed).status(), 400);
    await page.getByRole("link", { name: "Embedders" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Insight" }).count(), 0);
  });
});
