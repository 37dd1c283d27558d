import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexDraft } from "../../../src/engine/writer/draft.ts";
import { emptyManifest, IndexState } from "../../../src/engine/writer/index-state.ts";
import { decodeManifest, encodeManifest } from "../../../src/storage/index/manifest.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

test("answers that are kept stay good through a merge, and through nothing else", () => {
  const state = new IndexState("i", emptyManifest("0", defaultSettings(), 0), []);
  const commit = (touches: boolean): number => {
    const draft = new IndexDraft(state);
    draft.finish(1, touches);
    draft.adopt();
    return decodeManifest(encodeManifest(state.manifest)).contentVersion;
  };
  const written = commit(true);
  assert.equal(commit(false), written);
  assert.equal(commit(false), written);
  const later = commit(true);
  assert.ok(later > written);
  assert.equal(commit(false), later);
});
