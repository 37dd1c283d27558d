/**
 * Reads an edit script into a tree: statements here, expressions in `expressions.ts`. Nesting is bounded, so that neither
 * parser nor interpreter can exhaust the stack.
 */
import { Expressions, MUST_END } from "./expressions.ts";
import type { Block, Expression, Script, ScriptFunction, Statement } from "./syntax.ts";

/** Throws EditProblem when the source is no script. */
export function parseScript(source: string): Script {
  return new Statements(source).script();
}

class Statements extends Expressions {
  readonly #functions = new Map<string, ScriptFunction>();

  script(): Script {
    const statements = this.#statements("end");
    return { source: this.lexer.source, body: { kind: "block", statements }, functions: this.#functions };
  }

  override block(): Block {
    this.expect("{");
    return this.nested(() => {
      const block = this.blockBody();
      this.advance();
      return block;
    });
  }

  override blockBody(): Block {
    return { kind: "block", statements: this.#statements("}") };
  }

  #statements(close: "}" | "end"): Statement[] {
    const statements: Statement[] = [];
    const atClose = () => (close === "end" ? this.token.kind === "end" : this.isSymbol("}"));
    while (!atClose()) {
      if (this.take(";")) continue;
      if (this.token.kind === "end") throw this.unexpected("`}`");
      if (this.isName("fn") || (this.isName("private") && this.peekIsName("fn"))) {
        this.#functionDefinition(close === "end");
        continue;
      }
      const statement = this.#statement();
      statements.push(statement);
      if (!this.take(";") && !atClose() && !endsInBlock(statement)) throw this.unexpected(MUST_END);
    }
    return statements;
  }

  #functionDefinition(allowed: boolean): void {
    const { at } = this.token;
    if (!allowed) throw this.lexer.problem("functions can only be defined at the top level", at);
    if (this.isName("private")) this.advance();
    this.advance();
    const name = this.name();
    this.expect("(");
    const parameters = this.names(")");
    const key = `${name}/${parameters.length}`;
    if (this.#functions.has(key)) throw this.lexer.problem(`function ${name} is defined twice`, at);
    this.#functions.set(key, { name, parameters, body: this.block() });
  }

  #statement(): Statement {
    if (this.isName("let") || this.isName("const")) return this.#declaration();
    if (this.isName("try")) return this.#tryStatement();
    return this.jump() ?? { kind: "expression", expression: this.assignment() };
  }

  #declaration(): Statement {
    const constant = this.isName("const");
    this.advance();
    const name = this.name();
    return { kind: "let", name, constant, value: this.take("=") ? this.expression() : null };
  }

  override jump(): Statement | null {
    const { token } = this;
    if (token.kind !== "name") return null;
    switch (token.text) {
      case "continue":
        this.advance();
        return { kind: token.text, at: token.at };
      case "break":
      case "return":
      case "throw": {
        this.advance();
        const bare = [";", "}", ","].some((symbol) => this.isSymbol(symbol)) || this.token.kind === "end";
        return { kind: token.text, value: bare ? null : this.expression(), at: token.at };
      }
      default:
        return null;
    }
  }

  #tryStatement(): Statement {
    this.advance();
    const body = this.block();
    if (!this.isName("catch")) throw this.unexpected("`catch`");
    this.advance();
    let variable: string | null = null;
    if (this.take("(")) {
      variable = this.name();
      this.expect(")");
    }
    return { kind: "try", body, variable, handler: this.block() };
  }
}

function endsInBlock(statement: Statement): boolean {
  if (statement.kind === "try") return true;
  return statement.kind === "expression" && isBlockLike(statement.expression);
}

function isBlockLike(expression: Expression): boolean {
  return ["if", "switch", "while", "for", "block"].includes(expression.kind);
}
