// Takes the pictures of docs/pictures: starts a server from the build, fills it with a few books, and looks at it with
// Chromium (CHROMIUM, or `chromium` on the PATH).
//
//   node scripts/screenshots.mjs
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = path.join(root, "docs", "pictures");
const WARM_UP = 400;
const BOOKS = [
  [
    "Emma",
    "Jane Austen",
    1815,
    "Comedy of manners",
    "A young woman who arranges the marriages of others, and misses her own.",
  ],
  [
    "Persuasion",
    "Jane Austen",
    1817,
    "Romance",
    "Eight years after she was persuaded to refuse him, he comes back as a captain.",
  ],
  ["Middlemarch", "George Eliot", 1871, "Realism", "Hopes and marriages of a town in the middle of England."],
  ["Silas Marner", "George Eliot", 1861, "Realism", "A weaver loses his gold and finds a child."],
  ["Jane Eyre", "Charlotte Brontë", 1847, "Gothic", "A governess, a house on the moor, and a secret under its roof."],
  ["Wuthering Heights", "Emily Brontë", 1847, "Gothic", "Two houses on the moor, and what love does to both."],
  ["Moby-Dick", "Herman Melville", 1851, "Adventure", "A captain follows a white whale across all oceans."],
  ["Treasure Island", "Robert Louis Stevenson", 1883, "Adventure", "A map, a mutiny, and a boy between pirates."],
  ["Dracula", "Bram Stoker", 1897, "Gothic", "Letters and diaries about a count who comes to London by sea."],
  ["The Time Machine", "H. G. Wells", 1895, "Science fiction", "A traveller sees what becomes of us."],
  ["Frankenstein", "Mary Shelley", 1818, "Gothic", "A student makes a living being and leaves it alone."],
  [
    "Kidnapped",
    "Robert Louis Stevenson",
    1886,
    "Adventure",
    "A stolen heir crosses the moor and the Highlands on foot.",
  ],
];

const cover = (title, i) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 84"><rect width="60" height="84" fill="hsl(${i * 47} 45% 38%)"/><text x="30" y="54" font-size="30" font-family="serif" fill="#fff" text-anchor="middle">${title[0]}</text></svg>`,
  )}`;

function startServer(folder) {
  const args = ["--http-addr", "127.0.0.1:0", "--db-path", path.join(folder, "db"), "--no-analytics"];
  const child = spawn(process.execPath, [path.join(root, "dist", "main.js"), ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve) => {
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const address = /address="?([^\s"]+)/.exec(said)?.[1];
      if (address !== undefined) resolve({ child, url: `http://${address}` });
    });
  });
}

async function fill(url) {
  const send = async (method, place, body) => {
    const headers = { "content-type": "application/json" };
    const { taskUid } = await (await fetch(url + place, { method, headers, body: JSON.stringify(body) })).json();
    for (let task = null; task?.finishedAt == null; ) task = await (await fetch(`${url}/tasks/${taskUid}`)).json();
  };
  await send("PATCH", "/indexes/books/settings", {
    filterableAttributes: ["author", "genre", "year"],
    sortableAttributes: ["year"],
  });
  const books = BOOKS.map(([title, author, year, genre, about], id) => ({
    id,
    title,
    author,
    year,
    genre,
    about,
    cover: cover(title, id),
  }));
  await send("POST", "/indexes/books/documents?primaryKey=id", books);
  await send("POST", "/indexes/drafts/documents", [{ title: "nothing tells it apart" }]);
}

/** As on a server that has run for a while: the first searches have their code compiled. */
async function warmUp(url) {
  const headers = { "content-type": "application/json" };
  for (let i = 0; i < WARM_UP; i++) {
    const q = BOOKS[i % BOOKS.length][4].slice(0, 6 + (i % 40));
    await fetch(`${url}/indexes/books/search`, { method: "POST", headers, body: JSON.stringify({ q, facets: ["*"] }) });
  }
}

const folder = mkdtempSync(path.join(tmpdir(), "screenshots-"));
const { child, url } = await startServer(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  await fill(url);
  await warmUp(url);
  const page = await browser.newPage({ viewport: { width: 1180, height: 760 } });
  const take = (name) => page.screenshot({ path: path.join(out, `${name}.png`) });
  await page.goto(`${url}/#/search/books`);
  await page.getByRole("searchbox").fill("moor hous");
  await page.getByText("3 hits").waitFor();
  await page.getByText("Why here").first().click();
  await take("search");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${url}/#/tasks`);
  await page.getByText("settings update").waitFor();
  await take("tasks");
} finally {
  await browser.close();
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}
