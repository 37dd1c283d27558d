/** What NATS gives by itself: records of one size appended to a journal of their own, one after the other, as a server does. */
import { randomBytes } from "node:crypto";
import { readOptions } from "../../src/server/options/options.ts";
import { DirectoryBlobs } from "../../src/storage/blobs/directory.ts";
import { openNats } from "../../src/storage/journal/open-nats.ts";
import { temporaryDirectory } from "../../test/lib/temporary.ts";

/** Records a second. `address`: as `--cluster` takes it, of a cluster that nobody else uses. */
export async function appendsAlone(address: string, recordBytes: number, seconds: number): Promise<number> {
  const folder = temporaryDirectory();
  const startup = readOptions(["--cluster", address, "--cluster-blobs", `file:${folder}`], {}, "1.0.0");
  if (startup.kind !== "run" || startup.options.cluster?.place.kind !== "nats") throw new Error("no address of NATS");
  const { journal, board, close } = await openNats(startup.options.cluster.place, new DirectoryBlobs(folder), folder);
  const record = randomBytes(recordBytes);
  const first = (await journal.last()) + 1;
  const begin = performance.now();
  let number = first;
  while (performance.now() - begin < seconds * 1000) {
    if ((await journal.append(number, record)) === "appended") number++;
  }
  const rate = (number - first) / ((performance.now() - begin) / 1000);
  await journal.close();
  await board.close();
  await close();
  return rate;
}
