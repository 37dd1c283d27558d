/** The indexes that a body names, wherever in it: searches of several, and templates. What is wrong with it is found where it is read. */

export function indexesNamedIn(body: unknown): string[] {
  const found = new Set<string>();
  const rest: unknown[] = [body];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (name === "indexUid" && typeof inner === "string") found.add(inner);
      else rest.push(inner);
    }
  }
  return [...found];
}
