/** Reads the expressions of an edit script, by operator precedence. Blocks are left to the parser of statements. */
import { Lexer, type Token } from "./lexer.ts";
import type { Block, EditProblem, Expression, Statement, SwitchArm } from "./syntax.ts";

export const MUST_END = "`;` to end the statement";

/** Expressions and blocks inside each other. */
const NESTING_MAX = 48;
/** Operators or accesses in a row, which nest in the tree to the left. */
const CHAIN_MAX = 200;

const PRECEDENCE: Record<string, number> = {
  "||": 30,
  "|": 30,
  "^": 30,
  "&&": 60,
  "&": 60,
  "==": 90,
  "!=": 90,
  in: 110,
  "!in": 110,
  "<": 130,
  "<=": 130,
  ">": 130,
  ">=": 130,
  "??": 135,
  "..": 140,
  "..=": 140,
  "+": 150,
  "-": 150,
  "*": 180,
  "/": 180,
  "%": 180,
  "**": 190,
  "<<": 210,
  ">>": 210,
};

const NOTHING: Expression = { kind: "literal", value: null };

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^="]);

const RESERVED = new Set([
  "let",
  "const",
  "if",
  "else",
  "while",
  "loop",
  "for",
  "in",
  "do",
  "until",
  "break",
  "continue",
  "return",
  "throw",
  "try",
  "catch",
  "fn",
  "private",
  "switch",
  "true",
  "false",
  "import",
  "export",
  "as",
  "eval",
]);

export abstract class Expressions {
  protected readonly lexer: Lexer;
  protected token: Token;
  #nesting = 0;

  constructor(source: string) {
    this.lexer = new Lexer(source);
    this.token = this.lexer.next();
  }

  abstract block(): Block;

  /** The statements up to a closing brace, which is left where it is. */
  abstract blockBody(): Block;

  /** `break`, `continue`, `return` or `throw`, if one of them stands here. */
  abstract jump(): Statement | null;

  protected advance(): void {
    this.token = this.lexer.next();
  }

  protected isSymbol(text: string): boolean {
    return this.token.kind === "symbol" && this.token.text === text;
  }

  protected isName(text: string): boolean {
    return this.token.kind === "name" && this.token.text === text;
  }

  protected peekIsName(text: string): boolean {
    const ahead = this.lexer.next();
    this.lexer.at = this.token.end;
    return ahead.kind === "name" && ahead.text === text;
  }

  protected take(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.advance();
    return true;
  }

  protected expect(symbol: string): void {
    if (!this.take(symbol)) throw this.unexpected(`\`${symbol}\``);
  }

  protected unexpected(expected: string): EditProblem {
    const found = this.token.kind === "end" ? "the end of the script" : `\`${this.token.text}\``;
    return this.lexer.problem(`expected ${expected}, found ${found}`, this.token.at);
  }

  protected name(): string {
    if (this.token.kind !== "name" || RESERVED.has(this.token.text)) throw this.unexpected("a name");
    const { text } = this.token;
    this.advance();
    return text;
  }

  /** Names separated by commas, up to and with the closing symbol. */
  protected names(close: string): string[] {
    const names: string[] = [];
    while (!this.take(close)) {
      names.push(this.name());
      if (!this.isSymbol(close)) this.expect(",");
    }
    return names;
  }

  protected nested<T>(read: () => T): T {
    if (++this.#nesting > NESTING_MAX) throw this.lexer.problem("the script is nested too deeply", this.token.at);
    const result = read();
    this.#nesting--;
    return result;
  }

  /** An expression, or an assignment to a place. */
  protected assignment(): Expression {
    const target = this.expression();
    const { token } = this;
    if (token.kind !== "symbol" || !ASSIGNMENTS.has(token.text)) return target;
    if (target.kind !== "variable" && target.kind !== "property" && target.kind !== "index") {
      throw this.lexer.problem("cannot assign to this expression", token.at);
    }
    this.advance();
    const operator = token.text.slice(0, -1);
    return { kind: "assign", target, operator, value: this.nested(() => this.assignment()), at: token.at };
  }

  protected expression(): Expression {
    return this.nested(() => this.#binary(0));
  }

  #binary(floor: number): Expression {
    // `..end` starts at the beginning.
    let left = this.isSymbol("..") || this.isSymbol("..=") ? NOTHING : this.#unary();
    for (let chain = 0; ; chain++) {
      const operator = this.#operator();
      const precedence = operator === null ? undefined : PRECEDENCE[operator];
      if (operator === null || precedence === undefined || precedence <= floor) return left;
      if (chain > CHAIN_MAX) throw this.lexer.problem("the expression is too long", this.token.at);
      const { at } = this.token;
      this.advance();
      if (operator === "!in") this.advance();
      const open = operator.startsWith("..") && this.#atEnd();
      // `**` groups to the right.
      const right = open ? NOTHING : this.nested(() => this.#binary(operator === "**" ? precedence - 1 : precedence));
      left = { kind: "binary", operator, left, right, at };
    }
  }

  #operator(): string | null {
    if (this.isName("in")) return "in";
    if (this.isSymbol("!") && this.peekIsName("in")) return "!in";
    return this.token.kind === "symbol" && Object.hasOwn(PRECEDENCE, this.token.text) ? this.token.text : null;
  }

  /** Whether no operand can follow: `start..` goes on to the end. */
  #atEnd(): boolean {
    return this.token.kind === "end" || [")", "]", "}", ",", ";", "=>"].some((symbol) => this.isSymbol(symbol));
  }

  #unary(): Expression {
    const { token } = this;
    if (token.kind === "symbol" && (token.text === "-" || token.text === "+" || token.text === "!")) {
      this.advance();
      const operand = this.nested(() => this.#unary());
      return { kind: "unary", operator: token.text, operand, at: token.at };
    }
    return this.#postfix();
  }

  #postfix(): Expression {
    let target = this.#primary();
    for (let chain = 0; chain <= CHAIN_MAX; chain++) {
      const { at } = this.token;
      if (this.isSymbol(".") || this.isSymbol("?.")) {
        const optional = this.token.text === "?.";
        this.advance();
        if (this.token.kind !== "name") throw this.unexpected("a property or method");
        const name = this.token.text;
        this.advance();
        target = this.take("(")
          ? { kind: "method", target, name, args: this.#list(")"), optional, at }
          : { kind: "property", target, name, optional, at };
      } else if (this.isSymbol("[") || this.isSymbol("?[")) {
        const optional = this.token.text === "?[";
        this.advance();
        const index = this.expression();
        this.expect("]");
        target = { kind: "index", target, index, optional, at };
      } else {
        return target;
      }
    }
    throw this.lexer.problem("the expression is too long", this.token.at);
  }

  #list(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.take(close)) {
      items.push(this.expression());
      if (!this.isSymbol(close)) this.expect(",");
    }
    return items;
  }

  #primary(): Expression {
    const { token } = this;
    switch (token.kind) {
      case "integer":
      case "float":
        this.advance();
        return { kind: "literal", value: token.number };
      case "string":
        this.advance();
        return { kind: "literal", value: token.text };
      case "char":
        this.advance();
        return { kind: "char", text: token.text };
      case "template":
        return this.#template();
      case "name":
        return this.#named();
      case "symbol":
        return this.#symbolic();
      default:
        throw this.unexpected("an expression");
    }
  }

  #symbolic(): Expression {
    if (this.isSymbol("{")) return this.block();
    if (this.take("(")) {
      if (this.take(")")) return NOTHING;
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    if (this.take("[")) return { kind: "array", items: this.#list("]") };
    if (this.take("#{")) return this.#map();
    if (this.take("||")) return this.#closure([]);
    if (this.take("|")) return this.#closure(this.names("|"));
    throw this.unexpected("an expression");
  }

  /** A body in braces ends with them: what follows is done with the closure. */
  #closure(parameters: string[]): Expression {
    const body = this.isSymbol("{") ? this.block() : this.nested(() => this.assignment());
    return { kind: "closure", parameters, body };
  }

  #map(): Expression {
    const entries: { name: string; value: Expression }[] = [];
    while (!this.take("}")) {
      if (this.token.kind !== "name" && this.token.kind !== "string") throw this.unexpected("a property name");
      const name = this.token.text;
      this.advance();
      this.expect(":");
      entries.push({ name, value: this.expression() });
      if (!this.isSymbol("}")) this.expect(",");
    }
    return { kind: "map", entries };
  }

  #template(): Expression {
    const parts: (string | Expression)[] = [];
    let from = this.token.end;
    for (;;) {
      const piece = this.lexer.templatePiece(from);
      if (piece.text !== "") parts.push(piece.text);
      if (piece.closed) break;
      this.advance();
      parts.push(this.nested(() => this.blockBody()));
      from = this.token.end;
    }
    this.advance();
    return { kind: "template", parts };
  }

  #named(): Expression {
    const { text, at } = this.token;
    switch (text) {
      case "true":
      case "false":
        this.advance();
        return { kind: "literal", value: text === "true" };
      case "if":
        return this.#conditional();
      case "switch":
        return this.#switchExpression();
      case "while":
      case "loop":
      case "do":
      case "for":
        return this.#loop(text);
    }
    const name = this.name();
    if (this.take("(")) return { kind: "call", name, args: this.#list(")"), at };
    return { kind: "variable", name, at };
  }

  #conditional(): Expression {
    this.advance();
    const condition = this.expression();
    const then = this.block();
    let otherwise: Expression | null = null;
    if (this.isName("else")) {
      this.advance();
      otherwise = this.isName("if") ? this.nested(() => this.#conditional()) : this.block();
    }
    return { kind: "if", condition, then, otherwise };
  }

  #switchExpression(): Expression {
    this.advance();
    const subject = this.expression();
    const arms: SwitchArm[] = [];
    this.expect("{");
    while (!this.take("}")) {
      const patterns: Expression[] = [];
      if (this.isName("_")) this.advance();
      else
        do patterns.push(this.nested(() => this.#binary(60)));
        while (this.take("|"));
      let guard: Expression | null = null;
      if (this.isName("if")) {
        this.advance();
        guard = this.expression();
      }
      this.expect("=>");
      const jump = this.jump();
      const body: Expression =
        jump === null ? this.nested(() => this.assignment()) : { kind: "block", statements: [jump] };
      arms.push({ patterns, guard, body });
      if (!this.take(",") && !this.isSymbol("}") && body.kind !== "block") throw this.unexpected("`,` or `}`");
    }
    return { kind: "switch", subject, arms };
  }

  #loop(keyword: "while" | "loop" | "do" | "for"): Expression {
    const { at } = this.token;
    this.advance();
    if (keyword === "loop") return { kind: "while", condition: null, body: this.block() };
    if (keyword === "while") return { kind: "while", condition: this.expression(), body: this.block() };
    if (keyword === "do") {
      const body = this.block();
      const until = this.isName("until");
      if (!until && !this.isName("while")) throw this.unexpected("`while` or `until`");
      this.advance();
      return { kind: "doWhile", body, condition: this.expression(), until };
    }
    const paired = this.take("(");
    const item = this.name();
    let counter: string | null = null;
    if (paired) {
      this.expect(",");
      counter = this.name();
      this.expect(")");
    }
    if (!this.isName("in")) throw this.unexpected("`in`");
    this.advance();
    const source = this.expression();
    return { kind: "for", item, counter, source, body: this.block(), at };
  }
}
