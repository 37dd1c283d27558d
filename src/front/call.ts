/** What every search is told besides its query. */
import { clockMs } from "../link/clock.ts";
import type { SearchCall } from "../link/requests.ts";
import { newUid } from "../link/uids.ts";
import { chooseCoding } from "./compress.ts";
import type { Request, Services } from "./services.ts";

export function callOf({ info }: Services, request: Request): SearchCall {
  return {
    arrivedAt: clockMs() - (performance.now() - request.startedAt),
    dropAfterMs: info.dropSearchAfterMs,
    requestUid: newUid(),
    coding: chooseCoding(request.head.acceptEncoding),
    includeMetadata: /^(?:true|1)$/i.test(request.head.includeMetadata),
  };
}
