/**
 * How functions are called while an edit script runs: those of the script, closures, and those of the library. Every
 * step costs fuel and depth is counted, so that no script can hang or crash the server.
 */
import type { Callable, Caller } from "./library/arguments.ts";
import { callBuiltin } from "./library/table.ts";
import { NOWHERE, type Place, passing } from "./places.ts";
import { Scope } from "./scope.ts";
import { Return } from "./signals.ts";
import { type Block, EditProblem, type Expression, problemIn, type Script, type ScriptFunction } from "./syntax.ts";
import { Closure, copyOf, display, Named, type Value } from "./values.ts";

/** Steps one document may cost. */
const FUEL = 1_000_000;
/** Evaluations inside each other: well below what the stack holds. */
const DEPTH_MAX = 800;

export abstract class Calls implements Caller {
  protected readonly script: Script;
  #fuel = FUEL;
  protected depth = 0;

  constructor(script: Script) {
    this.script = script;
  }

  abstract statements(block: Block, scope: Scope): Value;
  protected abstract evaluate(expression: Expression, scope: Scope): Value;
  protected abstract place(expression: Expression, scope: Scope): Place;

  readonly spend = (fuel: number): void => {
    this.#fuel -= fuel;
    if (this.#fuel < 0) throw new EditProblem("the function takes too many operations");
  };

  /** A script cannot catch the end of its fuel: it would only go on. */
  protected get exhausted(): boolean {
    return this.#fuel < 0;
  }

  protected descend(): void {
    this.spend(1);
    if (++this.depth > DEPTH_MAX) throw new EditProblem("the function nests too deeply");
  }

  /** A place on the way to another one: it nests, so it counts. */
  protected inner(expression: Expression, scope: Scope): Place {
    this.descend();
    const place = this.place(expression, scope);
    this.depth--;
    return place;
  }

  /** The value of an expression that is to be kept: its own copy. */
  protected stored(expression: Expression, scope: Scope): Value {
    return copyOf(this.evaluate(expression, scope), this.spend);
  }

  #storedAll(expressions: Expression[], scope: Scope): Value[] {
    return expressions.map((expression) => this.stored(expression, scope));
  }

  protected call(expression: Extract<Expression, { kind: "call" }>, scope: Scope): Value {
    const { name, args, at } = expression;
    const defined = this.script.functions.get(`${name}/${args.length}`);
    if (defined !== undefined) return this.#run(defined, this.#storedAll(args, scope));
    const variable = scope.find(name)?.value;
    if (variable instanceof Closure || variable instanceof Named) {
      const given = this.#storedAll(args, scope);
      return this.located(at, () => this.invoke(variable, given));
    }
    if (name === "is_def_var") return scope.find(display(this.evaluate(args[0]!, scope), this.spend)) !== null;
    if (name === "is_def_fn" && args.length === 2) {
      const [wanted, count] = this.#storedAll(args, scope);
      return this.script.functions.has(`${wanted}/${count}`);
    }
    const receiver = args.length === 0 ? null : this.place(args[0]!, scope);
    const rest = this.#storedAll(args.slice(1), scope);
    return this.located(at, () => callBuiltin(name, receiver, rest, this));
  }

  protected method(expression: Extract<Expression, { kind: "method" }>, scope: Scope): Value {
    const { name, args, at } = expression;
    const receiver = this.inner(expression.target, scope);
    if (receiver === NOWHERE || (expression.optional && receiver.get() === null)) return null;
    const values = this.#storedAll(args, scope);
    const defined = this.script.functions.get(`${name}/${args.length}`);
    if (defined !== undefined) return this.#run(defined, values, receiver);
    const member = memberOf(receiver.get(), name);
    if (member !== null) return this.located(at, () => this.invoke(member, values, receiver));
    return this.located(at, () => callBuiltin(name, receiver, values, this));
  }

  /** Functions see their parameters and nothing else; `this` is a copy that is put back. */
  #run(defined: ScriptFunction, args: Value[], self?: Place): Value {
    const inner = new Scope(null);
    defined.parameters.forEach((parameter, i) => {
      inner.declare(parameter, args[i] ?? null);
    });
    return this.#withThis(inner, self, () => this.statements(defined.body, inner));
  }

  accepts(callee: Callable, count: number): boolean {
    const given = count + callee.curried.length;
    if (callee instanceof Closure) return callee.parameters.length === given;
    // A function of the library takes what it works on as its first argument.
    return this.isOfScript(callee.name) ? this.script.functions.has(`${callee.name}/${given}`) : given === 1;
  }

  protected isOfScript(name: string): boolean {
    for (const { name: defined } of this.script.functions.values()) if (defined === name) return true;
    return false;
  }

  invoke(callee: Callable, args: Value[], self?: Place): Value {
    this.spend(1);
    const given = [...callee.curried, ...args].map((value) => copyOf(value, this.spend));
    if (callee instanceof Closure) return this.#runClosure(callee, given, self);
    const defined = this.script.functions.get(`${callee.name}/${given.length}`);
    if (defined !== undefined) return this.#run(defined, given, self);
    const [first] = given;
    return callBuiltin(callee.name, first === undefined ? null : passing(first), given.slice(1), this);
  }

  #runClosure(callee: Closure, given: Value[], self?: Place): Value {
    if (given.length !== callee.parameters.length) {
      throw new EditProblem(`a closure of ${callee.parameters.length} parameters is called with ${given.length}`);
    }
    const inner = new Scope(callee.scope);
    callee.parameters.forEach((parameter, i) => {
      inner.declare(parameter, given[i] ?? null);
    });
    return this.#withThis(inner, self, () => copyOf(this.evaluate(callee.body, inner), this.spend));
  }

  #withThis(inner: Scope, self: Place | undefined, run: () => Value): Value {
    if (self === undefined) return this.#returning(run);
    inner.declare("this", copyOf(self.get(), this.spend));
    const result = this.#returning(run);
    self.set(inner.find("this")!.value);
    return result;
  }

  #returning(run: () => Value): Value {
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

  protected problem(message: string, at: number): EditProblem {
    return problemIn(this.script.source, message, at);
  }

  /** Says where, for problems that do not yet. */
  protected located<T>(at: number, run: () => T): T {
    try {
      return run();
    } catch (stop) {
      if (stop instanceof EditProblem && !stop.located) throw this.problem(stop.message, at);
      throw stop;
    }
  }
}

/** A function that a map keeps under that name. */
function memberOf(target: Value, name: string): Callable | null {
  const member = target instanceof Map ? target.get(name) : undefined;
  return member instanceof Closure || member instanceof Named ? member : null;
}
