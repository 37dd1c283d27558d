// A page of Markdown as HTML, with places for its headings as forges name them, and what of it is searched.
import { Marked } from "marked";
import { coloured, escapeHtml } from "./code.mjs";

const HEADING = /<h([123]) id="([^"]*)">(.*?)<\/h\1>/g;
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** `addressOf`: what stands for a link of the source; null where that is no part of the site. */
export function toHtml(markdown, addressOf) {
  const places = new Map();
  const placeFor = (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const seen = places.get(name) ?? 0;
    places.set(name, seen + 1);
    return seen === 0 ? name : `${name}-${seen}`;
  };
  const renderer = {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      return `<h${depth} id="${escapeHtml(placeFor(plain(html)))}">${html}</h${depth}>\n`;
    },
    code({ text, lang }) {
      // What is wider than the window is scrolled, by keyboard as well.
      // The first word is the language; others are for the tests.
      const language = lang?.split(" ")[0];
      const kind = language === "sh" || language === "bash" ? ' class="shell"' : "";
      return `<pre tabindex="0"${kind}><code>${coloured(text, language)}</code></pre>\n`;
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens);
      const address = addressOf(href);
      return address === null ? html : `<a href="${escapeHtml(address)}">${html}</a>`;
    },
    image({ href, text }) {
      return `<img src="${escapeHtml(addressOf(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    html({ text }) {
      if (!text.startsWith("<!--")) throw new Error(`the documentation has HTML in it: ${text}`);
      return "";
    },
  };
  const html = new Marked({ renderer }).parse(markdown);
  return html
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(/ align="(left|right|center)"/g, "");
}

/** Without tags. */
function plain(html) {
  return html.replace(/<[^>]*>/g, "").replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]);
}

/** The page cut at its headings: what each is called, its place, and its text. */
export function sectionsOf(html) {
  const heads = [...html.matchAll(HEADING)];
  return heads.map((head, i) => {
    const body = html.slice(head.index + head[0].length, heads[i + 1]?.index);
    return {
      depth: Number(head[1]),
      place: plain(head[2]),
      heading: plain(head[3]),
      text: plain(body.replaceAll(/<\/(?:p|li|td|th|pre)>/g, " "))
        .replace(/\s+/g, " ")
        .trim(),
    };
  });
}
