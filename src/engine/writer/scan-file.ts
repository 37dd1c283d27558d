/** The scan of a payload file by a helper, as if it had been made here. */
import type { PayloadScan } from "../../base/payload/scan.ts";
import type { PayloadPlace } from "./plan.ts";
import { asApiError, type Work } from "./work.ts";

export async function scanFile(
  { helpers }: Work,
  path: string,
  primaryKey: string | null,
): Promise<PayloadScan & PayloadPlace> {
  const scan = await helpers.run("payload.scan", { path, primaryKey });
  const error = scan.error === null ? null : asApiError(scan.error);
  return { ...scan, error, source: { path } };
}
