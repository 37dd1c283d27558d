/** `/analytics` and `/events`: what is searched and clicked here, where the operator has it counted. */
import { insightNotEnabled, parseEvent, parseInsight } from "../../../base/contract/insight.ts";
import { dayText } from "../../../base/insight/days.ts";
import type { Insight } from "../../../base/insight/insight.ts";
import {
  clickedDocuments,
  countsByDay,
  type InsightView,
  queriesWithoutHits,
  slowQueries,
  topQueries,
} from "../../../base/insight/views.ts";
import { limits } from "../../../base/limits.ts";
import { emptyAnswer, jsonAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";
import { indexUidOf, withIndex } from "./common.ts";

const VIEWS: Record<string, InsightView> = {
  queries: topQueries,
  "no-hits": queriesWithoutHits,
  slow: slowQueries,
  clicks: clickedDocuments,
  days: countsByDay,
};

export function insightRoutes(services: Services): ApiRoute[] {
  return [
    ...Object.entries(VIEWS).map(([name, view]) => viewRoute(services, name, view)),
    {
      method: "POST",
      path: "/events",
      action: "analytics.add",
      body: "wanted",
      handle: (request) => {
        const insight = insightOf(services);
        const click = parseEvent(request.json());
        request.grant.requireIndex(click.indexUid);
        withIndex(services, click.indexUid, () => insight.click(click));
        return emptyAnswer(204);
      },
    },
  ];
}

function viewRoute(services: Services, name: string, view: InsightView): ApiRoute {
  return {
    method: "GET",
    path: `/analytics/{index_uid}/${name}`,
    action: "analytics.get",
    body: "ignored",
    handle: (request) => {
      const insight = insightOf(services);
      const indexUid = indexUidOf(request);
      const asked = parseInsight(request.query);
      const to = asked.to ?? insight.today;
      const from = asked.from ?? insight.today - limits.insightDays + 1;
      const days = withIndex(services, indexUid, () => insight.between(indexUid, from, to));
      const results = view(days, asked.limit);
      return jsonAnswer(200, { indexUid, from: dayText(from), to: dayText(to), limit: asked.limit, results });
    },
  };
}

function insightOf({ insight }: Services): Insight {
  if (insight === null) throw insightNotEnabled();
  return insight;
}
