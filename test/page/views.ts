/** Every view of the page, on a server that has everything switched on: places, and windows that are opened there. */
import type { Page } from "playwright-core";
import { TestServer } from "../lib/server.ts";
import { addFilms, KEY } from "./documents.ts";

interface View {
  /** What stands behind `#/`. */
  place: string;
  /** In the main part, once it is all there. */
  sign: string;
  /** Buttons, each of which opens a window. */
  windows?: readonly string[];
}

export const VIEWS: readonly View[] = [
  { place: "search/films", sign: "45 hits", windows: ["Similar documents"] },
  { place: "indexes", sign: "films", windows: ["Create an index", "Swap two", "Delete films"] },
  {
    place: "indexes/films/documents",
    sign: "A loud mountain 1",
    windows: ["Add a document", "Edit document 0", "Delete document 0"],
  },
  { place: "indexes/films/fields", sign: "genre" },
  { place: "indexes/films/settings", sign: "Nothing changed" },
  {
    place: "indexes/films/embedders",
    sign: "userProvided",
    windows: ["Add an embedder", "Change mine", "Remove mine"],
  },
  { place: "indexes/films/insight", sign: "Searched most" },
  { place: "tasks", sign: "settings update", windows: ["Details of task 0"] },
  { place: "keys", sign: "Default Search API Key", windows: ["Make a key", "Make a token"] },
  { place: "chat", sign: "Chat" },
  { place: "server", sign: "Median latency" },
];

export async function serverWithEverything(): Promise<TestServer> {
  const server = await TestServer.start({ key: KEY, args: ["--analytics-local"] });
  await server.request("PATCH", "/experimental-features", { metrics: true, chatCompletions: true, network: true });
  await addFilms(server);
  await server.write("POST", "/indexes/other/documents", [{ id: 1 }]);
  await server.request("POST", "/indexes/films/search", { q: "harbour" });
  return server;
}

/** With all that is folded opened. */
export async function show(page: Page, base: string, { place, sign }: View): Promise<void> {
  await page.goto(`${base}/#/${place}`);
  await page.getByRole("main").getByText(sign).first().waitFor();
  for (const fold of await page.locator("main details:not([open]) > summary").all()) {
    await fold.evaluate("(summary) => { summary.parentElement.open = true; }");
  }
}

/** While a window is open. */
export async function inWindow<T>(page: Page, button: string, look: () => Promise<T>): Promise<T> {
  await page.getByRole("main").getByRole("button", { name: button, exact: true }).first().click();
  await page.getByRole("dialog").waitFor();
  try {
    return await look();
  } finally {
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}
