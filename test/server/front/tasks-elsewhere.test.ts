/** What one server of several says of a task that, as far as it knows, was not given yet. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Api, startApi } from "./services.ts";

async function among(t: TestContext, caughtUp: (api: Api) => Promise<boolean>): Promise<Api> {
  const api = await startApi("node");
  t.after(() => api.stop());
  await api.call("POST", "/indexes", { uid: "movies" });
  Object.assign(api.services, { cluster: { name: "here", caughtUp: () => caughtUp(api) } });
  return api;
}

async function shown(api: Api, uid: number): Promise<{ status: number; body: { message?: string; uid?: number } }> {
  const answer = await fetch(`${api.base}/tasks/${uid}`);
  return { status: answer.status, body: (await answer.json()) as { message?: string; uid?: number } };
}

test("it is not there once the server has seen all that others wrote, and to be asked for again before", async (t) => {
  let isSure = false;
  const api = await among(t, async () => isSure);
  const unsure = await shown(api, 1);
  assert.equal(unsure.status, 503);
  assert.match(unsure.body.message ?? "", /`here` has not seen all changes of the others yet: ask again/);
  isSure = true;
  assert.equal((await shown(api, 1)).status, 404);
});

test("it is shown where it came meanwhile, seen all or not", async (t) => {
  for (const isSure of [true, false]) {
    const api = await among(t, async (own) => {
      await own.call("POST", "/indexes", { uid: "other" });
      return isSure;
    });
    const { body, status } = await shown(api, 1);
    assert.equal(status, 200);
    assert.equal(body.uid, 1);
  }
});

test("one that was given before is looked for here only", async (t) => {
  const api = await among(t, () => assert.fail("others are not waited for"));
  assert.equal((await shown(api, 0)).status, 200);
});
