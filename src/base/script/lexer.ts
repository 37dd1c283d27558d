/**
 * Splits an edit script into tokens on demand. Template strings are read piece by piece, so that the parser can take over
 * between `${` and `}`.
 */
import { I64_MAX } from "../json/number.ts";
import { type EditProblem, problemIn } from "./syntax.ts";

type TokenKind = "name" | "integer" | "float" | "string" | "char" | "template" | "symbol" | "end";

export interface Token {
  kind: TokenKind;
  /** The name, the symbol, or the decoded string. */
  text: string;
  number: bigint | number;
  at: number;
  end: number;
}

/** Longest first, so that the first that fits is the right one. */
const SYMBOLS = [
  "**=",
  "<<=",
  ">>=",
  "..=",
  "===",
  "!==",
  "#{",
  "**",
  "<<",
  ">>",
  "..",
  "&&",
  "||",
  "??",
  "?.",
  "?[",
  "=>",
  "==",
  "!=",
  "<=",
  ">=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "&=",
  "|=",
  "^=",
  "::",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ",",
  ";",
  ":",
  ".",
  "=",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "!",
  "&",
  "|",
  "^",
];

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', "'": "'", "`": "`", $: "$" };
const HEX_ESCAPE_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };

export class Lexer {
  at = 0;
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  problem(message: string, at: number): EditProblem {
    return problemIn(this.source, message, at);
  }

  next(): Token {
    this.#skipSpace();
    const { source, at } = this;
    if (at >= source.length) return this.#token("end", "", at);
    const first = source[at]!;
    if (/[A-Za-z_]/.test(first)) return this.#nameToken(at);
    if (/[0-9]/.test(first)) return this.#numberToken(at);
    if (first === '"' || first === "'") return this.#quotedToken(first, at);
    if (first === "`") {
      this.at = at + 1;
      return this.#token("template", "", at);
    }
    if (first === "#" && /^#+"/.test(source.slice(at))) return this.#rawStringToken(at);
    const symbol = SYMBOLS.find((candidate) => source.startsWith(candidate, at));
    if (symbol === undefined) throw this.problem(`unexpected character '${first}'`, at);
    this.at = at + symbol.length;
    return this.#token("symbol", symbol, at);
  }

  #token(kind: TokenKind, text: string, at: number, number: bigint | number = 0): Token {
    return { kind, text, number, at, end: this.at };
  }

  #skipSpace(): void {
    for (;;) {
      const space = /[\s]*/y;
      space.lastIndex = this.at;
      space.test(this.source);
      this.at = space.lastIndex;
      if (this.source.startsWith("//", this.at)) {
        const lineEnd = this.source.indexOf("\n", this.at);
        this.at = lineEnd === -1 ? this.source.length : lineEnd;
      } else if (this.source.startsWith("/*", this.at)) {
        this.#skipBlockComment();
      } else {
        return;
      }
    }
  }

  /** Block comments nest. */
  #skipBlockComment(): void {
    const start = this.at;
    let open = 0;
    do {
      if (this.at >= this.source.length) throw this.problem("comment is not closed", start);
      const two = this.source.slice(this.at, this.at + 2);
      if (two === "/*") open++;
      else if (two === "*/") open--;
      this.at += two === "/*" || two === "*/" ? 2 : 1;
    } while (open > 0);
  }

  #nameToken(at: number): Token {
    const name = /[A-Za-z_][A-Za-z0-9_]*/y;
    name.lastIndex = at;
    const text = name.exec(this.source)![0];
    this.at = at + text.length;
    return this.#token("name", text, at);
  }

  #numberToken(at: number): Token {
    const form = /0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?/y;
    form.lastIndex = at;
    const match = form.exec(this.source)!;
    const text = match[0].replaceAll("_", "");
    this.at = at + match[0].length;
    if (match[1] !== undefined || match[2] !== undefined) return this.#token("float", text, at, Number(text));
    // `1.` is a float too, unless a method, a property or a range follows.
    if (/^[0-9]+$/.test(text) && /^\.(?![.A-Za-z_])/.test(this.source.slice(this.at, this.at + 2))) {
      this.at++;
      return this.#token("float", text, at, Number(text));
    }
    // Digits other than decimal ones are bits, the highest of which is the sign.
    const value = /^0[xXoObB]/.test(text) && BigInt(text) < 2n ** 64n ? BigInt.asIntN(64, BigInt(text)) : BigInt(text);
    if (value > I64_MAX) throw this.problem(`integer ${text} is too large`, at);
    return this.#token("integer", text, at, value);
  }

  #quotedToken(quote: string, at: number): Token {
    this.at = at + 1;
    let text = "";
    for (;;) {
      const next = this.source[this.at];
      if (next === undefined || (next === "\n" && quote === '"')) throw this.problem("string is not closed", at);
      this.at++;
      if (next !== quote) text += next === "\\" ? this.#escape(at) : next;
      else if (quote === "'") return this.#charToken(text, at);
      // Two quotes in a row are one in the text.
      else if (this.source[this.at] !== quote) return this.#token("string", text, at);
      else text += this.source[this.at++];
    }
  }

  #charToken(text: string, at: number): Token {
    if ([...text].length !== 1) throw this.problem("a character is one character between single quotes", at);
    return this.#token("char", text, at);
  }

  /** `start`: where the string begins. */
  #escape(start: number): string {
    const letter = this.source[this.at++] ?? "";
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plain !== undefined) return plain;
    if (letter === "\n") {
      // A line that ends in a backslash goes on in the next, without what stands left of the text there.
      const margin = start - this.source.lastIndexOf("\n", start);
      for (let skipped = 0; skipped < margin && /[ \t]/.test(this.source[this.at] ?? ""); skipped++) this.at++;
      return "";
    }
    const digits = Object.hasOwn(HEX_ESCAPE_DIGITS, letter) ? HEX_ESCAPE_DIGITS[letter]! : 0;
    const hex = this.source.slice(this.at, this.at + digits);
    const code = digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : -1;
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      throw this.problem("invalid escape in string", this.at - 2);
    }
    this.at += digits;
    return String.fromCodePoint(code);
  }

  #rawStringToken(at: number): Token {
    const open = /^#+"/.exec(this.source.slice(at))![0];
    const close = `"${"#".repeat(open.length - 1)}`;
    const end = this.source.indexOf(close, at + open.length);
    if (end === -1) throw this.problem("string is not closed", at);
    this.at = end + close.length;
    return this.#token("string", this.source.slice(at + open.length, end), at);
  }

  /** The literal text from `from` to the next `${` or the closing back-tick. */
  templatePiece(from: number): { text: string; closed: boolean } {
    this.at = from;
    // A line break right behind the opening back-tick is not part of the text.
    if (this.source[from - 1] === "`") this.at += /^(\r?\n)?/.exec(this.source.slice(from, from + 2))![0].length;
    let text = "";
    for (;;) {
      const next = this.source[this.at];
      if (next === undefined) throw this.problem("template string is not closed", from);
      this.at++;
      if (next === "\\" && this.source.startsWith("${", this.at)) {
        text += "${";
        this.at += 2;
        continue;
      }
      if (next === "`") {
        if (this.source[this.at] !== "`") return { text, closed: true };
        this.at++;
      } else if (next === "$" && this.source[this.at] === "{") {
        this.at++;
        return { text, closed: false };
      }
      text += next;
    }
  }
}
