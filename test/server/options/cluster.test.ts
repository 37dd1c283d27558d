import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { OptionError, type Options, readOptions } from "../../../src/server/options/options.ts";

function read(...args: string[]): Options["cluster"] {
  const startup = readOptions(args, {}, "1.0.0");
  assert.ok(startup.kind === "run");
  return startup.options.cluster;
}

test("a server is on its own unless it is told where others are", () => {
  assert.equal(read(), null);
  const expected = {
    place: { kind: "directory", path: "/shared/place" },
    blobs: { kind: "directory", path: "/shared/place/blobs" },
    node: "one",
    url: null,
    checkpointSeconds: 300,
    waitsForAll: true,
    copies: null,
    shards: 1,
    mayLead: true,
  };
  assert.deepEqual(read("--cluster", "file:/shared/place", "--cluster-node", "one"), expected);
  assert.deepEqual(read("--cluster", "file:///shared/place", "--cluster-node", "one"), expected);
  const elsewhere = read("--cluster", "file:place", "--cluster-blobs", "file:/files", "--cluster-node", "one");
  assert.deepEqual(elsewhere?.place, { kind: "directory", path: path.resolve("place") });
  assert.deepEqual(elsewhere?.blobs, { kind: "directory", path: "/files" });
  assert.match(read("--cluster", "file:place")!.node, /^[A-Za-z0-9_-]+$/);
  assert.equal(read("--cluster", "file:place", "--cluster-url", "http://one:7700/")?.url, "http://one:7700");
  assert.equal(read("--cluster", "file:place", "--task-visibility", "local")?.waitsForAll, false);
  assert.equal(read("--cluster", "file:place", "--cluster-copies", "2")?.copies, 2);
  assert.equal(read("--cluster", "file:place", "--cluster-shards", "64")?.shards, 64);
  assert.throws(() => read("--cluster", "file:place", "--cluster-shards", "65"), OptionError);
  assert.throws(() => read("--cluster-shards", "2"), /need `--cluster`/);
  assert.equal(read("--cluster", "file:place", "--cluster-never-leads")?.mayLead, false);
});

test("NATS servers are named by their hosts", () => {
  const place = (text: string) => read("--cluster", text, "--cluster-blobs", "file:/files")!.place;
  const usual = { kind: "nats", name: "default", user: null, password: null, tls: false, monitorPorts: [8222] };
  assert.deepEqual(place("nats://a"), { ...usual, servers: ["a:4222"] });
  assert.deepEqual(place("nats://a,b:1,c/shop?monitor=1,2,3"), {
    ...usual,
    ...{ servers: ["a:4222", "b:1", "c:4222"], name: "shop", monitorPorts: [1, 2, 3] },
  });
  const guarded = { user: "me", password: "p:w", tls: true, monitorPorts: null };
  assert.deepEqual(place("tls://me:p%3Aw@a/?monitor=none"), { ...usual, servers: ["a:4222"], ...guarded });
  assert.throws(() => read("--cluster", "nats://a"), /needs `--cluster-blobs`/);
  assert.throws(() => place("nats://a/b.c"), /no name for a cluster/);
});

test("files can be in a store, which options or the environment describe", () => {
  const blobs = (args: string[], env: NodeJS.ProcessEnv): unknown => {
    const all = ["--cluster", "file:a", "--cluster-blobs", "s3://bucket/a/b", ...args];
    const startup = readOptions(all, env, "1.0.0");
    assert.ok(startup.kind === "run");
    assert.equal(startup.options.s3, null);
    return startup.options.cluster?.blobs;
  };
  const given = ["--s3-bucket-url", "http://store:9000", "--s3-bucket-region", "here"];
  const keys = ["--s3-access-key", "who", "--s3-secret-key", "proof"];
  const store = { region: "here", bucket: "bucket", signatureSeconds: 28_800 };
  const identity = { accessKey: "who", secretKey: "proof" };
  const expected = { kind: "s3", store: { url: "http://store:9000", ...store, identity }, prefix: "a/b" };
  assert.deepEqual(blobs([...given, ...keys], {}), expected);
  const env = { AWS_REGION: "here", AWS_ACCESS_KEY_ID: "who", AWS_SECRET_ACCESS_KEY: "proof" };
  const atHome = { ...store, url: "https://s3.here.amazonaws.com", identity };
  assert.deepEqual(blobs([], env), { ...expected, store: atHome });
  assert.deepEqual(blobs([], { ...env, AWS_ENDPOINT_URL: "http://store:9000" }), expected);
  const withToken = { ...atHome, identity: { ...identity, sessionToken: "t" } };
  assert.deepEqual(blobs([], { ...env, AWS_SESSION_TOKEN: "t" }), { ...expected, store: withToken });
  assert.throws(() => blobs(given, {}), /needs `--s3-access-key`, or AWS_ACCESS_KEY_ID/);
  assert.throws(() => blobs([], {}), /needs `--s3-bucket-region`/);
});

test("what cannot be is refused", () => {
  const refused = (pattern: RegExp, ...args: string[]): void => {
    assert.throws(
      () => read(...args),
      (error) => error instanceof OptionError && pattern.test(error.message),
    );
  };
  refused(/no place that is known/, "--cluster", "/shared/place");
  refused(/no place that is known/, "--cluster", "file:");
  refused(/no place that is known/, "--cluster", "file:a", "--cluster-blobs", "ftp://b");
  refused(/letters, digits/, "--cluster", "file:a", "--cluster-node", "a b");
  refused(/need `--cluster`/, "--cluster-node", "a");
  refused(/need `--cluster`/, "--cluster-blobs", "file:a");
  refused(/need `--cluster`/, "--cluster-url", "http://a");
  refused(/is no address/, "--cluster", "file:a", "--cluster-url", "a:7700");
  refused(/cannot begin with/, "--cluster", "file:a", "--import-dump", "a.dump");
});
