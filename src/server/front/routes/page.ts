/**
 * What a browser is shown: the page at `/`, the documentation at `/docs`, and the files that belong to them. Needs no key: the page
 * asks its reader for one, and the documentation is the same for everybody.
 */
import { emptyAnswer, jsonAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";
import type { SiteFiles } from "../site-files.ts";

const IF_NONE_MATCH = "if-none-match";

export function pageRoutes({ info, page, docs }: Services): ApiRoute[] {
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
          : page.answer("", request.head.acceptEncoding, request.header(IF_NONE_MATCH));
      },
    },
    fileRoute("/page/{file}", page),
    fileRoute("/docs", docs),
    fileRoute("/docs/{file}", docs),
    fileRoute("/docs/{folder}/{file}", docs),
  ];
}

/** The parameters of the path are the name of the file. */
function fileRoute(path: string, site: SiteFiles | null): ApiRoute {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return {
    method: "GET",
    path,
    action: null,
    body: "ignored",
    headers: [IF_NONE_MATCH],
    handle: (request) => {
      if (site === null) return emptyAnswer(404);
      const name = names.map((each) => request.param(each)).join("/");
      return site.answer(name, request.head.acceptEncoding, request.header(IF_NONE_MATCH));
    },
  };
}
