/** Fragments: JSON with templates inside, of a document while it is indexed, of a query when it is embedded. */
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { NamedFragment } from "../../../storage/settings/generators.ts";

import { compileTemplate, MissingVariable, type Patience } from "./template.ts";

type Render = (scope: JsonObject) => Json;

export class Fragment {
  readonly name: string;
  readonly #compiled: Render;

  /** Throws `TemplateFailure`. */
  constructor({ name, value }: NamedFragment, patience: Patience) {
    this.name = name;
    this.#compiled = compile(value, patience);
  }

  /** Undefined when the input lacks something that the fragment names. Throws `TemplateFailure`. */
  render(scope: JsonObject): Json | undefined {
    try {
      return this.#compiled(scope);
    } catch (problem) {
      if (problem instanceof MissingVariable) return undefined;
      throw problem;
    }
  }
}

/** Every text inside the value is a template of its own. */
function compile(value: Json, patience: Patience): Render {
  if (typeof value === "string") {
    const template = compileTemplate(value, patience);
    return (scope) => template.render(scope);
  }
  if (value === null || typeof value !== "object") return () => value;
  if (Array.isArray(value)) {
    const items = value.map((item) => compile(item, patience));
    return (scope) => items.map((render) => render(scope));
  }
  const members = Object.entries(value).map(([name, member]) => [name, compile(member, patience)] as const);
  return (scope) => Object.fromEntries(members.map(([name, render]) => [name, render(scope)]));
}
