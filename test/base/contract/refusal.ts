import assert from "node:assert/strict";
import { ApiError } from "../../../src/base/errors/errors.ts";

/** The `ApiError` that `run` throws; anything else fails the test. */
export function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ApiError, `not an ApiError: ${error}`);
    return error;
  }
  assert.fail("nothing was refused");
}
