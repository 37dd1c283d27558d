// Colours for the two languages of the documentation, JSON and what is typed into a shell. A language is a list of patterns, of
// which the first that fits at a place gives the class; what none fits stays as it is.
const STRING = /"(?:[^"\\]|\\[\s\S])*"/;
const NUMBER = /-?\b\d[\d.]*(?:e[+-]?\d+)?\b/;

const JSON_PATTERNS = [
  ["name", new RegExp(`${STRING.source}(?=\\s*:)`)],
  ["string", STRING],
  ["number", NUMBER],
  ["word", /\b(?:true|false|null)\b/],
];
const SHELL_PATTERNS = [
  ["comment", /(?<=^|\s)#[^\n]*/],
  ["string", new RegExp(`'[^']*'|${STRING.source}`)],
  ["name", /\$\{?\w+\}?/],
  ["option", /(?<=\s)--?[A-Za-z][\w-]*/],
  ["word", /(?<=^|[\n|;&(]\s*)(?:[\w./-]+)(?=\s|$)(?!=)/],
];
const LANGUAGES = { json: JSON_PATTERNS, sh: SHELL_PATTERNS, bash: SHELL_PATTERNS };

export function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** As HTML. */
export function coloured(code, language) {
  const patterns = LANGUAGES[language];
  if (patterns === undefined) return escapeHtml(code);
  const any = new RegExp(patterns.map(([, { source }]) => `(${source})`).join("|"), "g");
  let html = "";
  let done = 0;
  for (const match of code.matchAll(any)) {
    const kind = patterns[match.slice(1).findIndex((group) => group !== undefined)][0];
    html += `${escapeHtml(code.slice(done, match.index))}<span class="code-${kind}">${escapeHtml(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(done));
}
