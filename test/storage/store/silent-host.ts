import assert from "node:assert/strict";
import type { SharedHost } from "../../../src/storage/store/shared-host.ts";

/** A host that has nothing to do, and expects no trouble. */
export const SILENT: SharedHost = {
  prepare: async () => {},
  placed: () => {},
  storing: () => {},
  applied: () => {},
  regather: () => {},
  onLost: (problem) => assert.fail(problem),
  onTrouble: (problem) => assert.fail(problem),
};
