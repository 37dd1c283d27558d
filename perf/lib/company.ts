/**
 * What goes on beside searches: small writes to an index of their own, and, where there are guests, open streams of tasks and tabs
 * of a browser on the page. Without Chromium the tabs are left out, and it says so. The browser gets the CPU that nobody else wants:
 * people look at the page from machines of their own.
 */
import http from "node:http";
import type { Browser } from "playwright-core";
import { findBrowser, launch } from "../../test/page/browser.ts";
import { cpuSecondsOf, processTree, setAside } from "./process-tree.ts";
import type { Server } from "./server.ts";

interface Guests {
  streams: number;
  /** Places of the page: what stands behind `#/`. */
  pages: readonly string[];
}

const WRITTEN_INDEX = "company";

export class Company {
  readonly #writing: NodeJS.Timeout | null;
  readonly #streams: http.ClientRequest[];
  readonly #browser: Browser | null;
  readonly #browserPids: () => number[];
  #events = 0;
  #tabs = 0;

  private constructor(
    writing: NodeJS.Timeout | null,
    streams: http.ClientRequest[],
    browser: Browser | null,
    browserPids: () => number[],
  ) {
    this.#writing = writing;
    this.#streams = streams;
    this.#browser = browser;
    this.#browserPids = browserPids;
  }

  /** `writes`: documents a second, each a task of its own. */
  static async gather(server: Server, writes: number, guests: Guests | null): Promise<Company> {
    const client = server.client();
    let id = 0;
    const write = () => {
      client
        .json("POST", `/indexes/${WRITTEN_INDEX}/documents`, [{ id: id++ % 100 }])
        .catch((error) => process.stderr.write(`${error}\n`));
    };
    const writing = writes === 0 ? null : setInterval(write, 1000 / writes);
    const known = new Set(processTree(process.pid));
    const browser = (guests?.pages.length ?? 0) === 0 || findBrowser() === null ? null : await launch();
    const roots = processTree(process.pid).filter((pid) => !known.has(pid));
    const company = new Company(writing, [], browser, () => [...new Set(roots.flatMap(processTree))]);
    for (let i = 0; i < (guests?.streams ?? 0); i++) await company.#listen(server);
    for (const place of browser === null ? [] : guests!.pages) {
      const page = await browser!.newPage();
      await page.addInitScript(`sessionStorage.setItem("sabre-key", ${JSON.stringify(server.key)})`);
      await page.goto(`${server.url}/#/${place}`);
      await page.getByRole("main").waitFor();
      company.#tabs++;
    }
    if (!setAside(company.#browserPids()))
      process.stderr.write("no chrt: the browser takes its full share of the CPU\n");
    return company;
  }

  get described(): string {
    return `${this.#streams.length} streams that told of ${this.#events} changes, ${this.#tabs} tabs`;
  }

  /** What the browser took so far. */
  browserCpuSeconds(): number {
    return cpuSecondsOf(this.#browserPids());
  }

  #listen(server: Server): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.key}` };
      const request = http.get(`${server.url}/tasks/stream`, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream was answered with ${response.statusCode}`));
        response.setEncoding("utf8").on("data", (text: string) => {
          this.#events += text.split("event: ").length - 1;
          resolve();
        });
        response.on("error", () => {});
      });
      request.on("error", reject);
      this.#streams.push(request);
    });
  }

  async leave(): Promise<void> {
    if (this.#writing !== null) clearInterval(this.#writing);
    for (const stream of this.#streams) stream.destroy();
    await this.#browser?.close();
  }
}
