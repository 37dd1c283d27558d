/**
 * Backslash escapes of filter values: `\\ \n \t \r \b \f \' \"`, `\xHH`, `\uXXXX`, `\u{…}` and octal.
 * Turns text into text; where the value stood is the caller's business.
 */

/** Why a value cannot be unescaped. */
type EscapeProblem = "MalformedValue" | "InvalidEscapedNumber" | "Incomplete";

const SINGLE: Record<string, string> = { "\\": "\\", n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "'": "'", '"': '"' };

export function unescapeValue(text: string): { text: string } | { problem: EscapeProblem } {
  if (!text.includes("\\")) return { text };
  let out = "";
  let at = 0;
  while (at < text.length) {
    const slash = text.indexOf("\\", at);
    if (slash === -1) return { text: out + text.slice(at) };
    out += text.slice(at, slash);
    const next = text[slash + 1];
    if (next === undefined) return { problem: "Incomplete" };
    const plain = SINGLE[next];
    if (plain !== undefined) {
      out += plain;
      at = slash + 2;
      continue;
    }
    const numeric = next === "x" || next === "u" ? hexadecimal(text, slash + 1) : octal(text, slash + 1);
    if (typeof numeric === "string") return { problem: numeric };
    out += String.fromCodePoint(numeric.code);
    at = numeric.end;
  }
  return { text: out };
}

type Numeric = { code: number; end: number } | EscapeProblem;

/** At `x` or `u`. */
function hexadecimal(text: string, at: number): Numeric {
  let digits: string;
  let end: number;
  if (text[at] === "u" && text[at + 1] === "{") {
    const close = text.indexOf("}", at);
    if (close === -1) return "Incomplete";
    digits = text.slice(at + 2, close);
    end = close + 1;
  } else {
    const length = text[at] === "x" ? 2 : 4;
    end = at + 1 + length;
    if (end > text.length) return "Incomplete";
    digits = text.slice(at + 1, end);
  }
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length > 8) return "InvalidEscapedNumber";
  const code = Number.parseInt(digits, 16);
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "MalformedValue" : { code, end };
}

/** Up to three digits, no more than a byte. */
function octal(text: string, at: number): Numeric {
  const digits = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(text.slice(at, at + 3));
  if (digits === null) return "MalformedValue";
  return { code: Number.parseInt(digits[0], 8), end: at + digits[0].length };
}
