/** The whole interface, family by family. */
import type { ApiRoute, Services } from "../services.ts";
import { chatRoutes } from "./chats.ts";
import { documentRoutes } from "./documents.ts";
import { indexRoutes } from "./indexes.ts";
import { insightRoutes } from "./insight.ts";
import { instanceRoutes } from "./instance.ts";
import { keyRoutes } from "./keys.ts";
import { logRoutes } from "./logs.ts";
import { metricsRoutes } from "./metrics.ts";
import { pageRoutes } from "./page.ts";
import { partRoutes } from "./parts.ts";
import { renderRoutes } from "./render.ts";
import { searchRoutes } from "./search.ts";
import { searchRuleRoutes } from "./search-rules.ts";
import { settingsRoutes } from "./settings.ts";
import { systemRoutes } from "./system.ts";
import { taskRoutes } from "./tasks.ts";
import { telemetryRoutes } from "./telemetry.ts";
import { webhookRoutes } from "./webhooks.ts";

export function allRoutes(services: Services): ApiRoute[] {
  return [
    ...pageRoutes(services),
    ...systemRoutes(services),
    ...indexRoutes(services),
    ...documentRoutes(services),
    ...searchRoutes(services),
    ...settingsRoutes(services),
    ...taskRoutes(services),
    ...keyRoutes(services),
    ...instanceRoutes(services),
    ...webhookRoutes(services),
    ...searchRuleRoutes(services),
    ...renderRoutes(services),
    ...chatRoutes(services),
    ...logRoutes(services),
    ...metricsRoutes(services),
    ...telemetryRoutes(services),
    ...insightRoutes(services),
    ...partRoutes(services),
  ];
}
