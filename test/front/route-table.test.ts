import assert from "node:assert/strict";
import test from "node:test";
import { ROUTES } from "../../src/contract/routes.ts";
import { allRoutes } from "../../src/front/routes/all.ts";
import type { Services } from "../../src/front/services.ts";

test("every route of the interface is served, with the action it asks for", () => {
  const served = new Map(
    allRoutes({ info: {} } as Services).map(({ method, path, action }) => [`${method} ${shape(path)}`, action]),
  );
  for (const { method, path, action } of ROUTES) {
    const own = served.get(`${method} ${shape(path)}`);
    assert.notEqual(own, undefined, `${method} ${path}`);
    if (!Array.isArray(own)) assert.equal(own, action, `${method} ${path}`);
  }
});

function shape(path: string): string {
  return path.replace(/\{\w+\}/g, "{}");
}
