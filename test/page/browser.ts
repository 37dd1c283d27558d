/**
 * A real browser before a real server, for the tests of the page. The browser is Chromium: the one that `CHROMIUM` names, or
 * the first of its usual names on the PATH. Without one these tests are left out, and say so.
 */
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { TestServer } from "../lib/server.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** Longer than anything takes on a machine that is busy with other things. */
const WAIT_MS_MAX = 60_000;

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env["CHROMIUM"];
  if (named) return isProgram(named) ? named : null;
  const folders = (env["PATH"] ?? "").split(path.delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram) ?? null;
}

const found = findBrowser();
/** For the options of a test: why it is left out, or false. */
export const skip = found === null ? "no Chromium on the PATH, and CHROMIUM names none" : false;

export async function launch(): Promise<Browser> {
  // The sandbox cannot be had by root, nor in most containers; what is loaded here is our own.
  return await chromium.launch({ executablePath: found!, args: ["--no-sandbox"] });
}

export class Visit {
  readonly server: TestServer;
  readonly browser: Browser;
  readonly page: Page;
  /** Addresses of other servers that the page asked. */
  readonly outside: string[] = [];
  /** What the browser had to complain about. */
  readonly complaints: string[] = [];

  private constructor(server: TestServer, browser: Browser, page: Page) {
    this.server = server;
    this.browser = browser;
    this.page = page;
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${server.base}/`) && !url.startsWith("data:")) this.outside.push(url);
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      // Answers with an error status are part of what is tested.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.complaints.push(message.text());
      }
    });
  }

  static async begin(server: TestServer, options: BrowserContextOptions = {}): Promise<Visit> {
    const browser = await launch();
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
    page.setDefaultTimeout(WAIT_MS_MAX);
    return new Visit(server, browser, page);
  }

  /** `place`: what stands behind `#/`. */
  async open(place: string): Promise<void> {
    await this.page.goto(`${this.server.base}/#/${place}`);
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    await this.server.dispose();
  }
}
