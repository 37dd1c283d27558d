/**
 * The part of TOML that a flat configuration file needs: `key = value` lines with strings, numbers and booleans, and
 * comments. Everything else (tables, arrays, dates, multi-line strings) is refused rather than half understood.
 */

export type TomlValue = string | number | boolean;
export type TomlOutcome = { values: Map<string, TomlValue> } | { problem: string; line: number };

// With `s`: only line feeds end a line of TOML, other separators of Unicode are ordinary characters.
const LINE = /^\s*([A-Za-z0-9_-]+|"[^"\\]*")\s*=\s*(.*)$/s;
const COMMENT_OR_NOTHING = /^\s*(?:#.*)?$/s;
const NUMBER = /^[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d+)?$/;
const ESCAPES: Record<string, string> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

export function parseToml(text: string): TomlOutcome {
  const values = new Map<string, TomlValue>();
  for (const [i, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = i + 1;
    if (COMMENT_OR_NOTHING.test(raw)) continue;
    const match = LINE.exec(raw);
    if (!match) return { problem: "expected `key = value`", line };
    const key = match[1]!.replace(/^"|"$/g, "");
    if (values.has(key)) return { problem: `the key \`${key}\` is given twice`, line };
    const value = parseValue(match[2]!);
    if (value === null) return { problem: `the value of \`${key}\` is no string, number or boolean`, line };
    values.set(key, value);
  }
  return { values };
}

function parseValue(text: string): TomlValue | null {
  const quote = text[0];
  if (quote === '"' || quote === "'") {
    const read = quote === '"' ? readBasicString(text) : readLiteralString(text);
    return read !== null && isOnlyComment(text.slice(read.end)) ? read.value : null;
  }
  const bare = text.replace(/#.*$/s, "").trim();
  if (bare === "true" || bare === "false") return bare === "true";
  return NUMBER.test(bare) ? Number(bare.replaceAll("_", "")) : null;
}

function readLiteralString(text: string): { value: string; end: number } | null {
  const close = text.indexOf("'", 1);
  return close < 0 ? null : { value: text.slice(1, close), end: close + 1 };
}

function readBasicString(text: string): { value: string; end: number } | null {
  let value = "";
  for (let i = 1; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') return { value, end: i + 1 };
    if (c !== "\\") {
      value += c;
      continue;
    }
    const code = text[++i] ?? "";
    if (code === "u" || code === "U") {
      const digits = code === "u" ? 4 : 8;
      const hex = text.slice(i + 1, i + 1 + digits);
      const point = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
      if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff)) return null;
      value += String.fromCodePoint(point);
      i += digits;
    } else if (code in ESCAPES) {
      value += ESCAPES[code];
    } else {
      return null;
    }
  }
  return null;
}

function isOnlyComment(text: string): boolean {
  return COMMENT_OR_NOTHING.test(text);
}
