/** What every search is told besides its query. */
import { requireFeature } from "../../base/contract/features.ts";
import { clockMs } from "../../base/time/clock.ts";
import type { SearchCall } from "../../engine/link/requests.ts";
import { newUid } from "../../engine/link/uids.ts";
import { chooseCoding } from "./compress.ts";
import type { Request, Services } from "./services.ts";

const YES = /^(?:true|1)$/i;

/** Whether another server is to have the answer, to merge it with those of others. */
export function isShare({ features }: Pick<Services, "features">, { head }: Request): boolean {
  if (!YES.test(head.proxySearch)) return false;
  requireFeature(features.current, "network", "Taking part in the search of another server");
  return true;
}

export function callOf({ info }: Services, request: Request): SearchCall {
  return {
    arrivedAt: clockMs() - (performance.now() - request.startedAt),
    dropAfterMs: info.dropSearchAfterMs,
    requestUid: newUid(),
    coding: chooseCoding(request.head.acceptEncoding),
    includeMetadata: YES.test(request.head.includeMetadata),
  };
}
