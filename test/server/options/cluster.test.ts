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
  };
  assert.deepEqual(read("--cluster", "file:/shared/place", "--cluster-node", "one"), expected);
  assert.deepEqual(read("--cluster", "file:///shared/place", "--cluster-node", "one"), expected);
  const elsewhere = read("--cluster", "file:place", "--cluster-blobs", "file:/files", "--cluster-node", "one");
  assert.deepEqual(elsewhere?.place, { kind: "directory", path: path.resolve("place") });
  assert.equal(elsewhere?.blobs.path, "/files");
  assert.match(read("--cluster", "file:place")!.node, /^[A-Za-z0-9_-]+$/);
  assert.equal(read("--cluster", "file:place", "--cluster-url", "http://one:7700/")?.url, "http://one:7700");
  assert.equal(read("--cluster", "file:place", "--task-visibility", "local")?.waitsForAll, false);
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
