/** What moves on a page of the documentation: its colours, and its search. Without it the pages can be read all the same. */
import { keptTheme, putTheme, THEME_NAMES, THEMES, type Theme } from "../state/themes.ts";
import { type Found, find, type SearchedPage } from "./find.ts";

// Before the body is there: nothing is seen in the wrong colours.
putTheme(keptTheme());

const source = (document.currentScript as HTMLScriptElement).dataset["sections"]!;
let sections: Promise<SearchedPage[]> | null = null;

/** Asked for when somebody looks as if they wanted to search. */
function load(): Promise<SearchedPage[]> {
  sections ??= fetch(source).then((answer) => answer.json());
  return sections;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function asItem({ address, title, heading, excerpt }: Found): HTMLLIElement {
  const link = element("a", element("strong", heading), heading === title ? "" : ` ${title}`);
  link.href = address;
  const text = element("span", excerpt.before, element("mark", excerpt.match), excerpt.after);
  return element("li", link, text);
}

function startSearch(): void {
  const query = document.querySelector<HTMLInputElement>("#query")!;
  const found = document.querySelector<HTMLElement>("#found")!;
  const [status, list] = [found.querySelector("p")!, found.querySelector("ul")!];
  const links = () => [...list.querySelectorAll("a")];
  const show = async () => {
    const words = query.value;
    const hits = find(await load(), words);
    if (words !== query.value) return;
    found.hidden = words.trim() === "";
    status.textContent = hits.length === 0 ? "Nothing found: try fewer or other words" : `${hits.length} found`;
    list.replaceChildren(...hits.map(asItem));
  };
  const close = () => {
    query.value = "";
    found.hidden = true;
  };
  query.parentElement!.hidden = false;
  query.addEventListener("focus", () => void load());
  query.addEventListener("input", () => void show());
  query.parentElement!.addEventListener("keydown", (event) => {
    const all = [query, ...links()];
    const at = all.indexOf(document.activeElement as HTMLInputElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") all[Math.min(at + 1, all.length - 1)]!.focus();
    else if (event.key === "ArrowUp") all[Math.max(at - 1, 0)]!.focus();
    else if (event.key === "Enter" && at === 0) links()[0]?.click();
    else return;
    event.preventDefault();
  });
  // A place on the page that is shown already is no reason to load it anew.
  list.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || document.activeElement === query) return;
    event.preventDefault();
    query.focus();
  });
}

function startColours(): void {
  const choice = document.querySelector<HTMLSelectElement>("#colours")!;
  choice.append(...THEMES.map((name) => new Option(THEME_NAMES[name], name, false, name === keptTheme())));
  choice.addEventListener("change", () => putTheme(choice.value as Theme));
  choice.hidden = false;
}

/** Where the browser lets a page copy: over https and on localhost. */
function startCopying(): void {
  if (!isSecureContext) return;
  for (const block of document.querySelectorAll("pre.shell")) {
    const button = element("button", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    });
    const frame = element("div", button);
    frame.className = "copied";
    block.before(frame);
    frame.append(block);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  startSearch();
  startColours();
  startCopying();
});
