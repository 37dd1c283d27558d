/** What a browser is shown at `/`, and the files that belong to it. Needs no key: the page asks its reader for one. */
import { emptyAnswer, jsonAnswer } from "../answer.ts";
import { INDEX_FILE } from "../page-files.ts";
import type { ApiRoute, Services } from "../services.ts";

const IF_NONE_MATCH = "if-none-match";

export function pageRoutes({ info, page }: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/",
      action: null,
      body: "ignored",
      headers: ["accept", IF_NONE_MATCH],
      handle: (request) => {
        // In production programs ask here whether the server is up; browsers say that they want a page.
        const isProgram = info.env === "production" && !request.header("accept").includes("text/html");
        return page === null || isProgram
          ? jsonAnswer(200, { status: "Meilisearch is running" })
          : page.answer(INDEX_FILE, request.head.acceptEncoding, request.header(IF_NONE_MATCH));
      },
    },
    {
      method: "GET",
      path: "/page/{file}",
      action: null,
      body: "ignored",
      headers: [IF_NONE_MATCH],
      handle: (request) =>
        page === null
          ? emptyAnswer(404)
          : page.answer(request.param("file"), request.head.acceptEncoding, request.header(IF_NONE_MATCH)),
    },
  ];
}
