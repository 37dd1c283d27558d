/**
 * Parts of Node that most servers never need, or not at once, loaded when they are needed. Not by `import`, which even when
 * it is late reads every name that a module exports: behind some of these lies Node's whole `fetch`, 40 ms.
 */
import { createRequire } from "node:module";

interface BuiltIns {
  "node:http": typeof import("node:http");
  "node:https": typeof import("node:https");
  "node:tls": typeof import("node:tls");
  "node:dns": typeof import("node:dns");
}

const load = createRequire(import.meta.url);

export function builtIn<Name extends keyof BuiltIns>(name: Name): BuiltIns[Name] {
  return load(name) as BuiltIns[Name];
}
