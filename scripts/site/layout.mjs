// What stands around the text of every page of the documentation: the head, the search, the contents, and the neighbours.
import { escapeHtml } from "./code.mjs";

const link = ({ address, title }, extra = "") => `<a href="${address}"${extra}>${escapeHtml(title)}</a>`;

/** `groups`: of pages, as the contents list them; `files`: addresses of what all pages need. */
export function layout(page, groups, files) {
  const order = groups.flatMap(({ pages }) => pages);
  const at = order.indexOf(page);
  const neighbours =
    at < 0
      ? []
      : [
          ["Before", order[at - 1]],
          ["Next", order[at + 1]],
        ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Sabre</title>
<link rel="icon" href="${files.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${files.style}">
<script src="${files.script}" data-sections="${files.sections}"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top">
<a class="brand" href="/docs">Sabre docs</a>
<div class="find" role="search" hidden>
<input id="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<div id="found" hidden><p role="status"></p><ul></ul></div>
</div>
<a class="to-contents" href="#contents">Contents</a>
<a href="/">The server</a>
<select id="colours" aria-label="Colours" hidden></select>
</header>
<div class="columns">
<main id="main" tabindex="-1">
${page.html}
<p class="neighbours">${neighbours
    .filter(([, other]) => other !== undefined)
    .map(([word, other]) => `<span>${word}: ${link(other)}</span>`)
    .join(" ")}</p>
</main>
<nav id="contents" aria-label="Contents">
${groups.map((group) => groupHtml(group, page)).join("\n")}
</nav>
</div>
</body>
</html>
`;
}

function groupHtml({ title, pages }, current) {
  const items = pages.map((page) =>
    page === current ? `<li>${link(page, ' aria-current="page"')}${headings(page)}</li>` : `<li>${link(page)}</li>`,
  );
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join("")}</ul>`;
}

function headings({ sections }) {
  const items = sections
    .filter(({ depth }) => depth === 2)
    .map(({ place, heading }) => `<li>${link({ address: `#${escapeHtml(place)}`, title: heading })}</li>`);
  return items.length < 2 ? "" : `<ul>${items.join("")}</ul>`;
}
