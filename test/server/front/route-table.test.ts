import assert from "node:assert/strict";
import test from "node:test";
import { ROUTES } from "../../../src/base/contract/routes.ts";
import { allRoutes } from "../../../src/server/front/routes/all.ts";
import type { Services } from "../../../src/server/front/services.ts";

interface Line {
  method: string;
  path: string;
  action: unknown;
}

/** `GET /indexes/{}`: names of parameters are nobody's business. */
const lines = (routes: readonly Line[]): [string, unknown][] =>
  routes.map(({ method, path, action }): [string, unknown] => [`${method} ${path.replace(/\{\w+\}/g, "{}")}`, action]);

test("what is served is what the interface lists, with the actions it asks for", () => {
  const served = lines(allRoutes({ info: {}, cluster: null } as Services));
  const listed = Object.fromEntries(lines(ROUTES));
  assert.equal(new Set(served.map(([route]) => route)).size, served.length);
  // What is open to everybody, a file of the page for example, need be no part of the interface.
  const demanding = served.filter(([route, action]) => action !== null || route in listed);
  assert.deepEqual(Object.fromEntries(demanding), listed);
});
