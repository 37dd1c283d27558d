/** Variables of a running edit script: blocks inside blocks, the innermost name wins. */
import type { Value } from "./values.ts";

interface Variable {
  value: Value;
  constant: boolean;
}

export class Scope {
  readonly #outer: Scope | null;
  /** Made when needed: most blocks declare nothing. */
  #variables: Map<string, Variable> | null = null;

  constructor(outer: Scope | null) {
    this.#outer = outer;
  }

  declare(name: string, value: Value, constant = false): void {
    this.#variables ??= new Map();
    this.#variables.set(name, { value, constant });
  }

  /** Gives a variable of this very scope a value, and declares it if need be. */
  put(name: string, value: Value): void {
    const known = this.#variables?.get(name);
    if (known === undefined) this.declare(name, value);
    else known.value = value;
  }

  find(name: string): Variable | null {
    for (let scope: Scope | null = this; scope !== null; scope = scope.#outer) {
      const variable = scope.#variables?.get(name);
      if (variable !== undefined) return variable;
    }
    return null;
  }
}
