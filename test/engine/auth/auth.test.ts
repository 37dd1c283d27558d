import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import type { Action } from "../../../src/base/contract/actions.ts";
import { parseCreateKey } from "../../../src/base/contract/keys.ts";
import { nowMicros } from "../../../src/base/time/time.ts";
import { expandActions } from "../../../src/engine/auth/actions.ts";
import { type Gate, guardedGate, openGate } from "../../../src/engine/auth/authorize.ts";
import { KeyRing, keyValue, keyView, type NewKey } from "../../../src/engine/auth/keys.ts";
import { bestMatch, matchesIndex } from "../../../src/engine/auth/patterns.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const MASTER = "MASTER_KEY";
const KEY: NewKey = { uid: null, name: null, description: null, actions: ["search"], indexes: ["*"], expiresAt: null };

function openRing(t: { after(fn: () => Promise<void>): void }) {
  const store = openStore(join(temporaryDirectory(), "store"));
  t.after(() => store.close());
  const ring = new KeyRing(store, MASTER);
  return { store, ring, gate: guardedGate(MASTER, ring) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, serviceKey: null });
const NO_HEADER = { authorization: null, serviceKey: null };

function refusal(gate: Gate, authorization: string | null, action: Action = "search", index: string | null = null) {
  try {
    gate.authorize({ authorization, serviceKey: null }, action, index);
    return "allowed";
  } catch (error) {
    const { status, code } = error as { status: number; code: string };
    return `${status} ${code}`;
  }
}

test("without a master key everything is open but the keys, and headers must still be well formed", () => {
  const gate = openGate();
  assert.equal(refusal(gate, null, "documents.add", "a"), "allowed");
  assert.equal(refusal(gate, "Bearer anything", "version"), "allowed");
  assert.equal(refusal(gate, null, "keys.get"), "401 missing_master_key");
  assert.equal(refusal(gate, "Bearer x", "keys.create"), "401 missing_master_key");
  assert.equal(refusal(gate, "Basic x"), "401 missing_authorization_header");
  assert.equal(refusal(gate, "Bearer"), "403 invalid_api_key");
});

test("with a master key every header that carries no good token is refused in its own way", async (t) => {
  const { gate } = openRing(t);
  assert.equal(refusal(gate, null), "401 missing_authorization_header");
  assert.equal(refusal(gate, MASTER), "401 missing_authorization_header");
  assert.equal(refusal(gate, `bearer ${MASTER}`), "401 missing_authorization_header");
  assert.equal(refusal(gate, "Bearer"), "403 invalid_api_key");
  assert.equal(refusal(gate, "Bearer "), "403 invalid_api_key");
  assert.equal(refusal(gate, `Bearer  ${MASTER}`), "403 invalid_api_key");
  assert.equal(refusal(gate, "Bearer unknown"), "403 invalid_api_key");
  assert.equal(refusal(gate, `Bearer ${MASTER}`, "keys.delete"), "allowed");
  assert.equal(gate.authorize({ ...NO_HEADER, serviceKey: MASTER }, "version", null).all, true);
});

test("the first start makes four default keys, the search key the newest", async (t) => {
  const { store, ring } = openRing(t);
  await ring.ensureDefaults();
  await ring.ensureDefaults();
  assert.deepEqual(
    ring.list().map((key) => [key.name, key.actions]),
    [
      ["Default Search API Key", ["search"]],
      ["Default Admin API Key", ["*"]],
      ["Default Read-Only Admin API Key", ["*.get", "keys.get"]],
      ["Default Chat API Key", ["chatCompletions", "search"]],
    ],
  );
  assert.deepEqual(new KeyRing(store, MASTER).list(), ring.list());
});

// "The `/keys` routes are reachable only with the master key", or with a key that is worth it.
test("only a key that may do everything opens the keys: any other would be worth the mightiest", async (t) => {
  const { ring, gate } = openRing(t);
  await ring.ensureDefaults();
  await ring.create({ ...KEY, actions: ["*.get", "keys.get", "keys.create", "keys.update", "keys.delete"] });
  await ring.create({ ...KEY, actions: ["*"], expiresAt: nowMicros() + 3_600_000_000 });
  for (const key of ring.list()) {
    for (const action of ["keys.get", "keys.create", "keys.update", "keys.delete"] as const) {
      const expected = key.actions.includes("*") && key.expiresAt === null ? "allowed" : "403 invalid_api_key";
      assert.equal(refusal(gate, `Bearer ${ring.valueOf(key)}`, action), expected, `${key.name} ${action}`);
    }
  }
  assert.equal(refusal(gate, `Bearer ${MASTER}`, "keys.get"), "allowed");
});

test("a key's value is derived from the master key and its uid, and its view has a fixed order", async (t) => {
  const uid = "4bc0887a-0e41-4f3b-935d-0c451dcee9c8";
  const value = "d9e776b8412f1db6974c9a5556b961c3559440b6588216f4ea5d9ed49f7c8f3c";
  assert.equal(keyValue(MASTER, uid), value);
  const { ring } = openRing(t);
  const created = await ring.create({ ...KEY, uid, expiresAt: 2_551_910_400_000_000 });
  const view = keyView(created, ring.valueOf(created));
  assert.deepEqual(
    Object.keys(view),
    "name description key uid actions indexes expiresAt createdAt updatedAt".split(" "),
  );
  assert.equal(view.key, value);
  assert.equal(view.expiresAt, "2050-11-13T00:00:00Z");
  assert.equal(ring.find(value), created);
  assert.equal(ring.find(uid.toUpperCase()), created);
  await assert.rejects(ring.create({ ...KEY, uid }), { code: "api_key_already_exists", status: 409 });
});

test("keys change their name and description only, and stop working when removed", async (t) => {
  const { store, ring, gate } = openRing(t);
  const key = await ring.create({ ...KEY, name: "a" });
  const changed = await ring.update(key.uid, { description: "d" });
  assert.deepEqual([changed.name, changed.description, changed.createdAt], ["a", "d", key.createdAt]);
  assert.ok(changed.updatedAt > key.updatedAt);
  assert.equal((await ring.update(key.uid, { name: null })).name, null);
  const header = `Bearer ${ring.valueOf(key)}`;
  assert.equal(refusal(gate, header), "allowed");
  await ring.remove(key.uid);
  assert.equal(refusal(gate, header), "403 invalid_api_key");
  assert.equal(store.keys.count(), 0);
  assert.equal(ring.find(key.uid), null);
  await assert.rejects(ring.remove(key.uid), { code: "api_key_not_found" });
  await assert.rejects(ring.update(key.uid, {}), { code: "api_key_not_found" });
});

test("wildcards grant what they say", () => {
  const grants = (...actions: string[]) => expandActions(actions);
  assert.equal(grants("*").size, 61);
  assert.ok(grants("*.get").has("fields.post") && !grants("*.get").has("keys.get"));
  assert.ok(!grants("*.get").has("chatCompletions") && !grants("*.get").has("analytics.get"));
  for (const action of ["documents.add", "documents.get", "documents.delete", "documents.*"] as const) {
    assert.ok(grants("documents.*").has(action), action);
  }
  assert.ok(!grants("documents.add", "documents.get", "documents.delete").has("documents.*"));
  assert.ok(grants("indexes.*").has("indexes.compact") && grants("tasks.*").has("tasks.compact"));
  assert.ok(!grants("chats.*").has("chatsSettings.get"));
});

// The interface, authentication: "the action `task.cancel` or `task.delete` respectively"
test("two actions may be written in two ways", async (t) => {
  const { ring, gate } = openRing(t);
  const asked = { actions: ["task.cancel", "task.delete"], indexes: ["*"], expiresAt: null };
  const key = await ring.create({ ...KEY, ...parseCreateKey(asked) });
  assert.deepEqual(keyView(key, "").actions, asked.actions);
  const header = `Bearer ${ring.valueOf(key)}`;
  for (const action of ["tasks.cancel", "tasks.delete"] as const) {
    assert.equal(refusal(gate, header, action), "allowed", action);
  }
  assert.equal(refusal(gate, header, "tasks.get"), "403 invalid_api_key");
});

test("keys reach their actions on their indexes until they expire", async (t) => {
  const { ring, gate } = openRing(t);
  const key = await ring.create({ ...KEY, actions: ["documents.*", "tasks.get"], indexes: ["products_*", "shop"] });
  const header = `Bearer ${ring.valueOf(key)}`;
  assert.equal(refusal(gate, header, "documents.add", "products_1"), "allowed");
  assert.equal(refusal(gate, header, "documents.*", "shop"), "allowed");
  assert.equal(refusal(gate, header, "documents.add", "products"), "403 invalid_api_key");
  assert.equal(refusal(gate, header, "search", "shop"), "403 invalid_api_key");
  assert.equal(refusal(gate, header, "tasks.get"), "allowed");
  assert.throws(() => gate.authorize(bearer(ring.valueOf(key)), "documents.get", "x"), /`x`.*\[products_\*, shop\]/);
  const scope = gate.authorize(bearer(ring.valueOf(key)), "tasks.get", null);
  assert.equal(scope.all, false);
  assert.equal(scope.keyUid, key.uid);
  assert.ok(scope.allowsIndex("products_9") && !scope.allowsIndex("other"));
  assert.equal(scope.mayCreateIndex("shop"), false);

  const creator = await ring.create({ ...KEY, actions: ["*"], indexes: ["a*"] });
  const created = gate.authorize(bearer(ring.valueOf(creator)), "settings.update", "abc");
  assert.ok(created.mayCreateIndex("abc") && !created.mayCreateIndex("b"));
  assert.equal(refusal(gate, `Bearer ${ring.valueOf(creator)}`, "metrics.get"), "403 invalid_api_key");

  const idle = await ring.create({ ...KEY, actions: ["*"], indexes: [] });
  assert.equal(refusal(gate, `Bearer ${ring.valueOf(idle)}`, "tasks.get"), "403 invalid_api_key");
  assert.equal(refusal(gate, `Bearer ${ring.valueOf(idle)}`, "search", "shop"), "403 invalid_api_key");
  const expired = await ring.create({ ...KEY, expiresAt: nowMicros() - 1 });
  assert.equal(refusal(gate, `Bearer ${ring.valueOf(expired)}`), "403 invalid_api_key");
});

test("patterns match names and prefixes, and the closest one counts", () => {
  assert.ok(matchesIndex("*", "x") && matchesIndex("a*", "a") && matchesIndex("a*", "ab") && matchesIndex("a", "a"));
  assert.ok(!matchesIndex("a*", "b") && !matchesIndex("a", "ab"));
  assert.equal(bestMatch(["*", "ab*", "a*", "abc"], "abc"), "abc");
  assert.equal(bestMatch(["*", "ab*", "a*"], "abc"), "ab*");
  assert.equal(bestMatch(["b*"], "abc"), null);
});

function token(secret: string, claims: object, algorithm = "HS256", digest = "sha256"): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: algorithm, typ: "JWT" })}.${part(claims)}`;
  return `${text}.${createHmac(digest, secret).update(text).digest("base64url")}`;
}

test("tenant tokens search with rules of their own, inside what their key allows", async (t) => {
  const { ring, gate } = openRing(t);
  const key = await ring.create({ ...KEY, actions: ["search", "documents.get"], indexes: ["products*", "sales"] });
  const value = ring.valueOf(key);
  const claims = { apiKeyUid: key.uid, searchRules: { "*": null, "products*": { filter: "a = 1" }, products: {} } };
  for (const [algorithm, digest] of [
    ["HS256", "sha256"],
    ["HS384", "sha384"],
    ["HS512", "sha512"],
  ] as const) {
    assert.equal(refusal(gate, `Bearer ${token(value, claims, algorithm, digest)}`, "search", "sales"), "allowed");
  }
  const scope = gate.authorize(bearer(token(value, claims)), "search", null);
  assert.equal(scope.all, false);
  assert.equal(scope.searchRule("products_1"), "a = 1");
  assert.equal(scope.searchRule("products"), null);
  assert.equal(scope.searchRule("sales"), null);
  assert.equal(refusal(gate, `Bearer ${token(value, claims)}`, "search", "other"), "403 invalid_api_key");

  const narrow = token(value, { apiKeyUid: key.uid, searchRules: ["sales"] });
  assert.equal(refusal(gate, `Bearer ${narrow}`, "search", "sales"), "allowed");
  assert.throws(() => gate.authorize(bearer(narrow), "search", "products"), /`products`.*\[sales\]/);
  assert.equal(refusal(gate, `Bearer ${narrow}`, "documents.get", "sales"), "403 invalid_api_key");
});

test("tenant tokens that are forged, altered, expired or malformed are refused", async (t) => {
  const { ring, gate } = openRing(t);
  const key = await ring.create(KEY);
  const value = ring.valueOf(key);
  const claims = { apiKeyUid: key.uid, searchRules: ["*"] };
  const now = Math.floor(Date.now() / 1000);
  const refused = (text: string, message: RegExp) =>
    assert.throws(() => gate.authorize(bearer(text), "search", "a"), { code: "invalid_api_key", status: 403, message });

  assert.equal(refusal(gate, `Bearer ${token(value, { ...claims, exp: now + 60 })}`), "allowed");
  refused(token(value, { ...claims, exp: now - 5 }), /expired/);
  assert.equal(refusal(gate, `Bearer ${token(value, { ...claims, nbf: now + 60, aud: [] })}`), "allowed");
  refused(token(value, { ...claims, aud: "shop" }), /`aud`/);
  refused(token(value, { ...claims, aud: ["shop", "bank"] }), /`aud`/);
  refused(token("wrong", claims), /signature/);
  refused(token(value, claims).slice(0, -2), /signature/);
  refused(token(value, claims, "none"), /algorithm/);
  refused(token(value, claims, "RS256"), /algorithm/);
  refused(token(value, claims, "constructor"), /algorithm/);
  refused(token(value, { apiKeyUid: key.uid }), /searchRules/);
  refused(token(value, { ...claims, searchRules: "*" }), /searchRules/);
  refused(token(value, { ...claims, searchRules: { "a b": null } }), /searchRules/);
  refused(token(value, { ...claims, exp: "soon" }), /exp/);
  refused(token(value, { ...claims, apiKeyUid: "00000000-0000-4000-8000-000000000000" }), /invalid/);
  refused(`${token(value, claims)}.x`, /invalid/);
  refused("a.b.c", /invalid/);
  const [header, , signature] = token(value, claims).split(".");
  const altered = Buffer.from(JSON.stringify({ ...claims, extra: 1 })).toString("base64url");
  refused(`${header}.${altered}.${signature}`, /signature/);

  const dying = await ring.create({ ...KEY, expiresAt: nowMicros() - 1 });
  refused(token(ring.valueOf(dying), { apiKeyUid: dying.uid, searchRules: ["*"] }), /invalid/);
});
