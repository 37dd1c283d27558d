/** `/render-template`: what a template makes of a document or of a search, before it is used for real. A reader does it. */
import { limits } from "../../../base/limits.ts";
import { sentAsker } from "../../../engine/ask/asker.ts";
import type { ApiRoute, Services } from "../services.ts";
import { askerOf, readerAnswer } from "./common.ts";

export function renderRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "POST",
      path: "/render-template",
      action: ["settings.get", "documents.get"],
      body: "wanted",
      bodyBytesMax: limits.talkBodyBytes,
      sharesBody: true,
      handle: async (request) => {
        const header = { asker: sentAsker(askerOf(services, request), null) };
        return readerAnswer(await services.readers.request("render", header, request.jsonBytes(), request));
      },
    },
  ];
}
