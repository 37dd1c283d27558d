/** `/telemetry`: the usage data that is collected, for whoever runs the server. */
import { jsonAnswer } from "../answer.ts";
import type { ApiRoute, Services } from "../services.ts";

export function telemetryRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/telemetry",
      action: "*",
      body: "ignored",
      handle: async () => {
        const telemetry = services.telemetry();
        const off = { sentTo: null, batch: null, lastBatch: null };
        return jsonAnswer(200, { isCollected: telemetry !== null, ...((await telemetry?.view()) ?? off) });
      },
    },
  ];
}
