/**
 * Runs an edit script over one document. Every step costs fuel and depth is counted, so that no script can hang or crash
 * the server; scripts reach nothing but their own values.
 */
import { Calls } from "./calls.ts";
import { binary, checkedInteger, checkedText, combined } from "./operators.ts";
import { itemOf, itemsOf, NOWHERE, type Place, passing, propertyOf } from "./places.ts";
import { Scope } from "./scope.ts";
import { Break, Continue, Exit, Return, Thrown } from "./signals.ts";
import { type Block, EditProblem, type Expression, type Loop, type Script, type Statement } from "./syntax.ts";
import { Char, Closure, display, equals, Named, Range, typeName, type Value } from "./values.ts";

/** Runs the script; gives the variable `doc` as it is in the end. Throws EditProblem. */
export function runScript(script: Script, doc: Value, context: Value): Value {
  const scope = new Scope(null);
  scope.declare("doc", doc);
  scope.declare("context", context);
  const run = new Run(script);
  try {
    run.statements(script.body, scope);
  } catch (stop) {
    if (stop instanceof Thrown) throw new EditProblem(`the function threw: ${display(stop.value, run.spend)}`);
    if (stop instanceof Break || stop instanceof Continue) throw new EditProblem("break or continue outside a loop");
    if (!(stop instanceof Return || stop instanceof Exit)) throw stop;
  }
  return scope.find("doc")!.value;
}

class Run extends Calls {
  /** Runs a block's statements in the given scope; the value is that of the last one, with a semicolon or without. */
  override statements(block: Block, scope: Scope): Value {
    let result: Value = null;
    for (const statement of block.statements) result = this.#statement(statement, scope);
    return result;
  }

  #statement(statement: Statement, scope: Scope): Value {
    switch (statement.kind) {
      case "let":
        scope.declare(
          statement.name,
          statement.value === null ? null : this.stored(statement.value, scope),
          statement.constant,
        );
        return null;
      case "expression":
        return this.evaluate(statement.expression, scope);
      case "break":
        throw new Break(statement.value === null ? null : this.stored(statement.value, scope));
      case "continue":
        throw new Continue();
      case "return":
        throw new Return(statement.value === null ? null : this.stored(statement.value, scope));
      case "throw":
        throw new Thrown(statement.value === null ? null : this.stored(statement.value, scope));
      case "try":
        return this.#tryCatch(statement, scope);
    }
  }

  #tryCatch(statement: Extract<Statement, { kind: "try" }>, scope: Scope): Value {
    const { depth } = this;
    try {
      return this.statements(statement.body, new Scope(scope));
    } catch (stop) {
      if (this.exhausted || !(stop instanceof Thrown || stop instanceof EditProblem)) throw stop;
      this.depth = depth;
      const inner = new Scope(scope);
      if (statement.variable !== null) {
        inner.declare(statement.variable, stop instanceof Thrown ? stop.value : stop.message);
      }
      return this.statements(statement.handler, inner);
    }
  }

  protected override evaluate(expression: Expression, scope: Scope): Value {
    this.descend();
    const value = this.#dispatch(expression, scope);
    this.depth--;
    return value;
  }

  #dispatch(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case "literal":
        return expression.value;
      case "char":
        return new Char(expression.text);
      case "template": {
        let text = "";
        for (const part of expression.parts) {
          text += typeof part === "string" ? part : display(this.evaluate(part, scope), this.spend);
          checkedText(text, this.spend);
        }
        return text;
      }
      case "array":
        return expression.items.map((item) => this.stored(item, scope));
      case "map": {
        const map = new Map<string, Value>();
        for (const { name, value } of expression.entries) map.set(name, this.stored(value, scope));
        return map;
      }
      case "variable":
      case "property":
      case "index":
        return this.place(expression, scope).get();
      case "closure":
        return new Closure(expression.parameters, expression.body, scope);
      case "unary":
        return this.#unary(expression, scope);
      case "binary":
        return this.#binary(expression, scope);
      case "assign":
        return this.#assign(expression, scope);
      case "call":
        return this.call(expression, scope);
      case "method":
        return this.method(expression, scope);
      case "if":
        if (this.#condition(expression.condition, scope)) return this.statements(expression.then, new Scope(scope));
        return expression.otherwise === null ? null : this.evaluate(expression.otherwise, scope);
      case "switch":
        return this.#choose(expression, scope);
      case "block":
        return this.statements(expression, new Scope(scope));
      default:
        return this.#loop(expression, scope);
    }
  }

  #condition(expression: Expression, scope: Scope): boolean {
    const value = this.evaluate(expression, scope);
    if (typeof value !== "boolean") throw new EditProblem(`a condition must be a bool, not ${typeName(value)}`);
    return value;
  }

  #unary(expression: Extract<Expression, { kind: "unary" }>, scope: Scope): Value {
    const value = this.evaluate(expression.operand, scope);
    if (expression.operator === "!" && typeof value === "boolean") return !value;
    if (expression.operator !== "!" && (typeof value === "bigint" || typeof value === "number")) {
      if (expression.operator === "+") return value;
      return typeof value === "bigint" ? checkedInteger(-value) : -value;
    }
    throw this.problem(`operator ${expression.operator} does not apply to ${typeName(value)}`, expression.at);
  }

  #binary(expression: Extract<Expression, { kind: "binary" }>, scope: Scope): Value {
    const { operator } = expression;
    if (operator === "&&") return this.#condition(expression.left, scope) && this.#condition(expression.right, scope);
    if (operator === "||") return this.#condition(expression.left, scope) || this.#condition(expression.right, scope);
    const left = this.evaluate(expression.left, scope);
    if (operator === "??") return left ?? this.evaluate(expression.right, scope);
    const right = this.evaluate(expression.right, scope);
    return this.located(expression.at, () => binary(operator, left, right, this.spend));
  }

  #assign(expression: Extract<Expression, { kind: "assign" }>, scope: Scope): Value {
    const value = this.stored(expression.value, scope);
    const place = this.place(expression.target, scope);
    const { operator } = expression;
    this.located(expression.at, () => {
      place.set(operator === "" ? value : combined(operator, place.get(), value, this.spend));
    });
    return null;
  }

  /** Where the expression's value is kept; a value of no place is kept here, for the moment. */
  protected override place(expression: Expression, scope: Scope): Place {
    switch (expression.kind) {
      case "variable": {
        const variable = scope.find(expression.name);
        if (variable === null && this.isOfScript(expression.name)) return passing(new Named(expression.name));
        if (variable === null) throw this.problem(`variable ${expression.name} is not defined`, expression.at);
        return {
          get: () => variable.value,
          set: (value) => {
            if (variable.constant) throw this.problem(`constant ${expression.name} cannot change`, expression.at);
            variable.value = value;
          },
        };
      }
      case "property": {
        const outer = this.inner(expression.target, scope);
        if (outer === NOWHERE || (expression.optional && outer.get() === null)) return NOWHERE;
        return this.located(expression.at, () => propertyOf(outer, expression.name, this.spend));
      }
      case "index": {
        const outer = this.inner(expression.target, scope);
        if (outer === NOWHERE || (expression.optional && outer.get() === null)) return NOWHERE;
        const index = this.evaluate(expression.index, scope);
        return this.located(expression.at, () => itemOf(outer, index, this.spend));
      }
      default:
        return passing(this.evaluate(expression, scope));
    }
  }

  #choose(expression: Extract<Expression, { kind: "switch" }>, scope: Scope): Value {
    const subject = this.evaluate(expression.subject, scope);
    for (const { patterns, guard, body } of expression.arms) {
      const fits =
        patterns.length === 0 ||
        patterns.some((pattern) => {
          const value = this.evaluate(pattern, scope);
          if (value instanceof Range) return value.has(subject);
          return equals(value, subject, this.spend);
        });
      if (fits && (guard === null || this.#condition(guard, scope))) return this.evaluate(body, scope);
    }
    return null;
  }

  /** The value of a loop is what it is left with by `break`. */
  #loop(expression: Loop, scope: Scope): Value {
    try {
      this.#turns(expression, scope);
      return null;
    } catch (stop) {
      if (!(stop instanceof Break)) throw stop;
      return stop.value;
    }
  }

  #turns(expression: Loop, scope: Scope): void {
    const { depth } = this;
    switch (expression.kind) {
      case "while":
        while (expression.condition === null || this.#condition(expression.condition, scope)) {
          this.#turn(expression.body, new Scope(scope), depth);
        }
        return;
      case "doWhile":
        do this.#turn(expression.body, new Scope(scope), depth);
        while (this.#condition(expression.condition, scope) !== expression.until);
        return;
      case "for": {
        const source = this.stored(expression.source, scope);
        let counter = 0n;
        // One variable for all turns: closures of different turns see the same one.
        const outer = new Scope(scope);
        for (const item of this.located(expression.at, () => itemsOf(source))) {
          outer.put(expression.item, item);
          if (expression.counter !== null) outer.put(expression.counter, counter++);
          this.#turn(expression.body, new Scope(outer), depth);
        }
      }
    }
  }

  /** One turn of a loop, which `continue` may end early. */
  #turn(body: Block, scope: Scope, depth: number): void {
    this.spend(1);
    try {
      this.statements(body, scope);
    } catch (stop) {
      this.depth = depth;
      if (!(stop instanceof Continue)) throw stop;
    }
  }
}
