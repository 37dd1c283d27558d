/** Logs at run time: one client may listen, and the level of the console can change. */

import { parseLogLevel, parseLogStream } from "../../../base/contract/instance.ts";
import { badRequest } from "../../../base/errors/errors.ts";
import { parseTarget } from "../../../base/log/target.ts";
import { type Answer, type AnswerStream, emptyAnswer } from "../answer.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { demandFeature } from "./common.ts";

const ACTION = "Modifying logs through the `/logs` routes";

export function logRoutes(services: Services): ApiRoute[] {
  const { log } = services;
  let current: AnswerStream | null = null;

  const listen = (request: Request): Answer => {
    const { target: text, mode } = parseLogStream(request.json());
    demandFeature(services, "logsRoute", ACTION);
    if (mode === "profile") throw badRequest("The mode `profile` is not available: use `human` or `json`.");
    const target = parseTarget(text);
    if (target === null) throw badRequest(`\`${text}\` is not a log target.`);
    let out: AnswerStream | null = null;
    let isFlowing = true;
    const stop = log.listen(target, mode, (line) => {
      // A client that reads too slowly loses lines; the server does not keep them for it.
      if (out !== null && isFlowing) isFlowing = out.write(line);
    });
    if (stop === null) throw badRequest("The logs are already being streamed to another client.");
    request.onAbort(stop);
    return {
      status: 200,
      contentType: "text/plain; charset=utf-8",
      body: null,
      headers: [["X-Accel-Buffering", "no"]],
      stream(opened) {
        out = opened;
        current = opened;
        // The head leaves with the first byte, and the client should not have to wait for a line to be logged.
        opened.write("\n");
        opened.onDrain(() => {
          isFlowing = true;
        });
        opened.onClose(() => {
          stop();
          if (current === opened) current = null;
        });
      },
    };
  };

  return [
    { method: "POST", path: "/logs/stream", action: "metrics.get", body: "wanted", handle: listen },
    {
      method: "DELETE",
      path: "/logs/stream",
      action: "metrics.get",
      body: "ignored",
      handle: () => {
        demandFeature(services, "logsRoute", ACTION);
        current?.end();
        return emptyAnswer(204);
      },
    },
    {
      method: "POST",
      path: "/logs/stderr",
      action: "metrics.get",
      body: "wanted",
      handle: (request) => {
        const { target } = parseLogLevel(request.json());
        demandFeature(services, "logsRoute", ACTION);
        log.setConsoleTarget(target);
        return emptyAnswer(204);
      },
    },
  ];
}
