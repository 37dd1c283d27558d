/**
 * Puts the files of a change where the other servers of a cluster find them, before it is committed. Where that fails it is
 * tried until it succeeds: the change waits, and nothing else is wrong with it.
 */
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import { MeasuredBlobs } from "../../storage/blobs/measured.ts";
import { blobNames, openBlobs } from "../../storage/blobs/open.ts";
import type { AddedFile } from "./commit.ts";
import type { FromWriter } from "./messages.ts";

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5000;

export function sharing(
  place: BlobsPlace,
  databasePath: string,
  say: (message: FromWriter) => void,
): (files: AddedFile[]) => Promise<void> {
  const blobs = new MeasuredBlobs(openBlobs(place));
  const share = async ({ indexId, file }: AddedFile): Promise<void> => {
    for (let pauseMs = RETRY_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      try {
        await blobs.put(blobNames.segment(indexId, file), path.join(databasePath, "indexes", indexId, file));
        return;
      } catch (problem) {
        say({ kind: "log", level: "warn", message: `a file cannot be shared yet: ${(problem as Error).message}` });
        await setTimeout(pauseMs);
      }
    }
  };
  return async (files) => {
    const before = { ...blobs.sent };
    await Promise.all(files.map(share));
    const { files: count, bytes, seconds } = blobs.sent;
    say({
      kind: "shared",
      traffic: { files: count - before.files, bytes: bytes - before.bytes, seconds: seconds - before.seconds },
    });
  };
}
