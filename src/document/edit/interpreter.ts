/**
 * Runs an edit script over one document. Every step costs fuel and depth is counted, so that no script can hang or crash
 * the server; scripts reach nothing but their own values.
 */
import type { Caller } from "./arguments.ts";
import { callBuiltin } from "./builtins.ts";
import { binary, checkedInteger, checkedText, combined } from "./operators.ts";
import { itemOf, itemsOf, type Place, passing, propertyOf } from "./places.ts";
import { Scope } from "./scope.ts";
import {
  type Block,
  EditProblem,
  type Expression,
  type Loop,
  problemIn,
  type Script,
  type Statement,
} from "./syntax.ts";
import { Closure, copyOf, display, equals, Range, typeName, type Value } from "./values.ts";

/** Steps one document may cost. */
const FUEL = 1_000_000;
/** Evaluations inside each other: well below what the stack holds. */
const DEPTH_MAX = 800;

class Break {}
class Continue {}
class Return {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}
class Thrown {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

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
    if (!(stop instanceof Return)) throw stop;
  }
  return scope.find("doc")!.value;
}

class Run implements Caller {
  private readonly script: Script;
  private fuel = FUEL;
  private depth = 0;

  constructor(script: Script) {
    this.script = script;
  }

  readonly spend = (fuel: number): void => {
    this.fuel -= fuel;
    if (this.fuel < 0) throw new EditProblem("the function takes too many operations");
  };

  /** Runs a block's statements in the given scope; the value is that of a last expression without semicolon. */
  statements(block: Block, scope: Scope): Value {
    let result: Value = null;
    for (const statement of block.statements) result = this.statement(statement, scope);
    return result;
  }

  private statement(statement: Statement, scope: Scope): Value {
    switch (statement.kind) {
      case "let":
        scope.declare(
          statement.name,
          statement.value === null ? null : this.stored(statement.value, scope),
          statement.constant,
        );
        return null;
      case "expression": {
        const value = this.evaluate(statement.expression, scope);
        return statement.discarded ? null : value;
      }
      case "break":
        throw new Break();
      case "continue":
        throw new Continue();
      case "return":
        throw new Return(statement.value === null ? null : this.stored(statement.value, scope));
      case "throw":
        throw new Thrown(statement.value === null ? null : this.stored(statement.value, scope));
      case "try":
        return this.tryCatch(statement, scope);
    }
  }

  private tryCatch(statement: Extract<Statement, { kind: "try" }>, scope: Scope): Value {
    const { depth } = this;
    try {
      return this.statements(statement.body, new Scope(scope));
    } catch (stop) {
      // A script cannot catch the end of its fuel: it would only go on.
      if (this.fuel < 0 || !(stop instanceof Thrown || stop instanceof EditProblem)) throw stop;
      this.depth = depth;
      const inner = new Scope(scope);
      if (statement.variable !== null) {
        inner.declare(statement.variable, stop instanceof Thrown ? stop.value : stop.message);
      }
      return this.statements(statement.handler, inner);
    }
  }

  /** The value of an expression, as a copy of its own. */
  private stored(expression: Expression, scope: Scope): Value {
    return copyOf(this.evaluate(expression, scope), this.spend);
  }

  private evaluate(expression: Expression, scope: Scope): Value {
    this.spend(1);
    if (++this.depth > DEPTH_MAX) throw new EditProblem("the function nests too deeply");
    const value = this.dispatch(expression, scope);
    this.depth--;
    return value;
  }

  private dispatch(expression: Expression, scope: Scope): Value {
    switch (expression.kind) {
      case "literal":
        return expression.value;
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
        return this.unary(expression, scope);
      case "binary":
        return this.binary(expression, scope);
      case "assign":
        return this.assign(expression, scope);
      case "call":
        return this.call(expression, scope);
      case "method":
        return this.method(expression, scope);
      case "if":
        if (this.condition(expression.condition, scope)) return this.statements(expression.then, new Scope(scope));
        return expression.otherwise === null ? null : this.evaluate(expression.otherwise, scope);
      case "switch":
        return this.choose(expression, scope);
      case "block":
        return this.statements(expression, new Scope(scope));
      default:
        return this.loop(expression, scope);
    }
  }

  private condition(expression: Expression, scope: Scope): boolean {
    const value = this.evaluate(expression, scope);
    if (typeof value !== "boolean") throw new EditProblem(`a condition must be a bool, not ${typeName(value)}`);
    return value;
  }

  private unary(expression: Extract<Expression, { kind: "unary" }>, scope: Scope): Value {
    const value = this.evaluate(expression.operand, scope);
    if (expression.operator === "!" && typeof value === "boolean") return !value;
    if (expression.operator !== "!" && (typeof value === "bigint" || typeof value === "number")) {
      if (expression.operator === "+") return value;
      return typeof value === "bigint" ? checkedInteger(-value) : -value;
    }
    throw this.problem(`operator ${expression.operator} does not apply to ${typeName(value)}`, expression.at);
  }

  private binary(expression: Extract<Expression, { kind: "binary" }>, scope: Scope): Value {
    const { operator } = expression;
    if (operator === "&&") return this.condition(expression.left, scope) && this.condition(expression.right, scope);
    if (operator === "||") return this.condition(expression.left, scope) || this.condition(expression.right, scope);
    const left = this.evaluate(expression.left, scope);
    if (operator === "??") return left ?? this.evaluate(expression.right, scope);
    const right = this.evaluate(expression.right, scope);
    return this.located(expression.at, () => binary(operator, left, right, this.spend));
  }

  private assign(expression: Extract<Expression, { kind: "assign" }>, scope: Scope): Value {
    const value = this.stored(expression.value, scope);
    const place = this.place(expression.target, scope);
    const { operator } = expression;
    this.located(expression.at, () => {
      place.set(operator === "" ? value : combined(operator, place.get(), value, this.spend));
    });
    return null;
  }

  /** Where the expression's value is kept; a value of no place is kept here, for the moment. */
  private place(expression: Expression, scope: Scope): Place {
    switch (expression.kind) {
      case "variable": {
        const variable = scope.find(expression.name);
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
        if (expression.optional && outer.get() === null) return passing(null);
        return this.located(expression.at, () => propertyOf(outer, expression.name, this.spend));
      }
      case "index": {
        const outer = this.inner(expression.target, scope);
        if (expression.optional && outer.get() === null) return passing(null);
        const index = this.evaluate(expression.index, scope);
        return this.located(expression.at, () => itemOf(outer, index, this.spend));
      }
      default:
        return passing(this.evaluate(expression, scope));
    }
  }

  /** A place on the way to another one: it nests, so it counts. */
  private inner(expression: Expression, scope: Scope): Place {
    this.spend(1);
    if (++this.depth > DEPTH_MAX) throw new EditProblem("the function nests too deeply");
    const place = this.place(expression, scope);
    this.depth--;
    return place;
  }

  private call(expression: Extract<Expression, { kind: "call" }>, scope: Scope): Value {
    const { name, args, at } = expression;
    const defined = this.script.functions.get(`${name}/${args.length}`);
    if (defined !== undefined) {
      // Functions see their parameters and nothing else.
      const inner = new Scope(null);
      defined.parameters.forEach((parameter, i) => {
        inner.declare(parameter, this.stored(args[i]!, scope));
      });
      return this.returning(() => this.statements(defined.body, inner));
    }
    const variable = scope.find(name)?.value;
    if (variable instanceof Closure)
      return this.invoke(
        variable,
        args.map((arg) => this.stored(arg, scope)),
      );
    if (name === "is_def_var") return scope.find(display(this.evaluate(args[0]!, scope), this.spend)) !== null;
    const receiver = args.length === 0 ? passing(null) : this.place(args[0]!, scope);
    const rest = args.slice(1).map((arg) => this.stored(arg, scope));
    return this.located(at, () => callBuiltin(name, args.length === 0 ? null : receiver, rest, this));
  }

  private method(expression: Extract<Expression, { kind: "method" }>, scope: Scope): Value {
    const { name, args, at } = expression;
    const receiver = this.inner(expression.target, scope);
    const target = receiver.get();
    if (expression.optional && target === null) return null;
    if (name === "call" && target instanceof Closure) {
      return this.invoke(
        target,
        args.map((arg) => this.stored(arg, scope)),
      );
    }
    const defined = this.script.functions.get(`${name}/${args.length}`);
    const values = args.map((arg) => this.stored(arg, scope));
    if (defined !== undefined) {
      const inner = new Scope(null);
      inner.declare("this", copyOf(target, this.spend));
      defined.parameters.forEach((parameter, i) => {
        inner.declare(parameter, values[i]!);
      });
      const result = this.returning(() => this.statements(defined.body, inner));
      receiver.set(inner.find("this")!.value);
      return result;
    }
    return this.located(at, () => callBuiltin(name, receiver, values, this));
  }

  invoke(callee: Value, args: Value[]): Value {
    if (!(callee instanceof Closure)) throw new EditProblem(`expected a closure, found ${typeName(callee)}`);
    this.spend(1);
    const inner = new Scope(callee.scope);
    callee.parameters.forEach((parameter, i) => {
      inner.declare(parameter, args[i] ?? null);
    });
    return this.returning(() => copyOf(this.evaluate(callee.body, inner), this.spend));
  }

  private returning(run: () => Value): Value {
    const { depth } = this;
    if (depth > DEPTH_MAX) throw new EditProblem("the function nests too deeply");
    try {
      return run();
    } catch (stop) {
      if (!(stop instanceof Return)) throw stop;
      this.depth = depth;
      return stop.value;
    }
  }

  private choose(expression: Extract<Expression, { kind: "switch" }>, scope: Scope): Value {
    const subject = this.evaluate(expression.subject, scope);
    for (const { patterns, guard, body } of expression.arms) {
      const fits =
        patterns.length === 0 ||
        patterns.some((pattern) => {
          const value = this.evaluate(pattern, scope);
          if (value instanceof Range)
            return typeof subject === "bigint" && subject >= value.start && subject < value.end;
          return equals(value, subject, this.spend);
        });
      if (fits && (guard === null || this.condition(guard, scope))) return this.evaluate(body, scope);
    }
    return null;
  }

  private loop(expression: Loop, scope: Scope): Value {
    switch (expression.kind) {
      case "while":
        while (expression.condition === null || this.condition(expression.condition, scope)) {
          if (!this.turn(expression.body, new Scope(scope))) break;
        }
        return null;
      case "doWhile":
        do {
          if (!this.turn(expression.body, new Scope(scope))) break;
        } while (this.condition(expression.condition, scope) !== expression.until);
        return null;
      case "for": {
        const source = this.stored(expression.source, scope);
        let counter = 0n;
        for (const item of this.located(expression.at, () => itemsOf(source))) {
          const inner = new Scope(scope);
          inner.declare(expression.item, item);
          if (expression.counter !== null) inner.declare(expression.counter, counter++);
          if (!this.turn(expression.body, inner)) break;
        }
        return null;
      }
    }
  }

  /** One turn of a loop; false when the loop is to end. */
  private turn(body: Block, scope: Scope): boolean {
    this.spend(1);
    const { depth } = this;
    try {
      this.statements(body, scope);
      return true;
    } catch (stop) {
      if (!(stop instanceof Break || stop instanceof Continue)) throw stop;
      this.depth = depth;
      return stop instanceof Continue;
    }
  }

  private problem(message: string, at: number): EditProblem {
    return problemIn(this.script.source, message, at);
  }

  /** Says where, for problems that do not yet. */
  private located<T>(at: number, run: () => T): T {
    try {
      return run();
    } catch (stop) {
      if (stop instanceof EditProblem && !stop.located) throw this.problem(stop.message, at);
      throw stop;
    }
  }
}
