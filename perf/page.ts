/**
 * The page in a browser, in figures: the time to the first paint, with nothing kept and with everything, the size of its scripts,
 * what axe finds in every view and window, light and dark, and who else was asked. Needs Chromium.
 *
 *   npm run perf:page -- [--rounds 10]
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { bringAxe, violations } from "../test/page/axe.ts";
import { findBrowser, launch } from "../test/page/browser.ts";
import { KEY } from "../test/page/documents.ts";
import { inWindow, serverWithEverything, show, VIEWS } from "../test/page/views.ts";
import { quantile, round } from "./lib/stats.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
if (findBrowser() === null) throw new Error("no Chromium on the PATH, and CHROMIUM names none");
const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
const server = await serverWithEverything();
const browser = await launch();

/** Asked from here: the policy of the page lets nothing in it evaluate texts. */
async function firstPaint(page: Page): Promise<number> {
  for (;;) {
    const time = await page.evaluate<number | undefined>(FIRST_PAINT);
    if (time !== undefined) return time;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Milliseconds; `keeps`: whether the browser has the files already. */
async function firstPaints(place: string, keeps: boolean): Promise<number[]> {
  const times: number[] = [];
  let context = await browser.newContext();
  for (let i = -1; i < Number(values.rounds); i++) {
    if (!keeps) {
      await context.close();
      context = await browser.newContext();
    }
    const page = await context.newPage();
    await page.addInitScript(`sessionStorage.setItem("sabre-key", ${JSON.stringify(KEY)})`);
    await page.goto(`${server.base}${place}`);
    const time = await firstPaint(page);
    // The first one starts the browser's own processes.
    if (i >= 0) times.push(time);
    await page.close();
  }
  await context.close();
  return times;
}

async function compressedBytes(): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  const html = { accept: "text/html" };
  const text = await (await fetch(`${server.base}/`, { headers: html })).text();
  for (const [, file] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const answer = await fetch(server.base + file, { headers: { "accept-encoding": "br" } });
    sizes[file!.replace(/^.*\//, "")] = Number(answer.headers.get("content-length"));
  }
  return sizes;
}

try {
  for (const [what, place, keeps] of [
    ["page, nothing kept", "/#/search/films", false],
    ["page, files kept", "/#/search/films", true],
    ["docs, nothing kept", "/docs", false],
  ] as const) {
    const times = await firstPaints(place, keeps);
    console.log(`first paint, ${what}: ${round(quantile(times, 0.5), 0)} ms (best ${round(Math.min(...times), 0)})`);
  }
  for (const [file, bytes] of Object.entries(await compressedBytes())) console.log(`${file}: ${bytes} bytes, brotli`);
  const page = await browser.newPage();
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!/^data:/.test(request.url()) && !request.url().startsWith(`${server.base}/`)) outside.push(request.url());
  });
  await page.addInitScript(`sessionStorage.setItem("sabre-key", ${JSON.stringify(KEY)})`);
  let looked = 0;
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${server.base}/#/tasks`);
    await page.reload();
    await bringAxe(page);
    for (const view of VIEWS) {
      await show(page, server.base, view);
      found.push(...(await violations(page)));
      looked++;
      for (const button of view.windows ?? []) {
        found.push(...(await inWindow(page, button, () => violations(page))));
        looked++;
      }
    }
  }
  for (const each of found) console.log(each);
  console.log(`axe: ${found.length} violations in ${looked} looks at ${VIEWS.length} views and their windows`);
  console.log(`asked of others: ${outside.length} requests`);
  if (found.length > 0 || outside.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop();
  await server.dispose();
}
