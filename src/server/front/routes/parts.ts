/** What other servers of a cluster ask of the parts of indexes that this one holds. For them alone. */
import { timingSafeEqual } from "node:crypto";
import { apiError } from "../../../base/errors/errors.ts";
import { readPartCall } from "../divided/part-call.ts";
import { PARTS_PATH, PARTS_SECRET } from "../divided/part-servers.ts";
import type { ApiRoute, Services } from "../services.ts";
import { notReady } from "../shared-reads.ts";
import { readerAnswer } from "./common.ts";

/** None on a server on its own. */
export function partRoutes({ cluster, info, partsSecret, readers }: Services): ApiRoute[] {
  if (cluster === null) return [];
  const secret = Buffer.from(partsSecret);
  return [
    {
      method: "POST",
      path: PARTS_PATH,
      action: null,
      body: "wanted",
      bodyBytesMax: info.payloadBytesMax,
      sharesBody: true,
      headers: [PARTS_SECRET],
      admit: ({ others }) => {
        const shown = Buffer.from(others?.get(PARTS_SECRET) ?? "");
        if (shown.length !== secret.length || !timingSafeEqual(shown, secret)) {
          throw apiError("invalid_api_key", "The provided API key is invalid.");
        }
        readers.admit();
      },
      handle: async (request) => {
        const { call, question } = readPartCall(request.body);
        const mayBegin = cluster.mayAnswer && request.minSequence <= cluster.shown;
        if (!mayBegin && !(await cluster.ready(request.minSequence))) throw notReady(cluster, request.minSequence);
        return readerAnswer(await readers.request("part", call, question, request));
      },
    },
  ];
}
