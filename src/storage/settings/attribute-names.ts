/** Which attributes of a document an answer may show: lists of names, where a name stands for all below it too. */
import { nameTree } from "./name-tree.ts";
import { coversField } from "./patterns.ts";
import type { Settings } from "./settings.ts";

/** Null for every attribute. */
export type AttributeNames = readonly string[] | null;

export function displayedNames(settings: Pick<Settings, "displayedAttributes">): AttributeNames {
  return settings.displayedAttributes.includes("*") ? null : settings.displayedAttributes;
}

/** What a request may retrieve of what it asks for; null asks for all. */
export function retrievedNames(asked: readonly string[] | null, displayed: AttributeNames): AttributeNames {
  return asked === null || asked.includes("*") ? displayed : sharedNames(asked, displayed);
}

/** The names that both lists stand for: `a` and `a.b` share `a.b`. */
export function sharedNames(names: readonly string[], others: AttributeNames): readonly string[] {
  if (others === null) return names;
  const tree = nameTree(others);
  const shared = new Set<string>();
  for (const name of names) {
    if (!tree.isAbove(name)) {
      if (tree.covers(name)) shared.add(name);
      continue;
    }
    for (const other of others) {
      if (coversField(other, name)) shared.add(name);
      else if (coversField(name, other)) shared.add(other);
    }
  }
  return [...shared];
}

export function includesName(names: AttributeNames, name: string): boolean {
  return names === null || nameTree(names).covers(name);
}

export function sameNames(a: AttributeNames, b: AttributeNames): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.length !== b.length) return false;
  const names = new Set(a);
  return b.every((name) => names.has(name));
}
