/** Webhooks: who is told of finished tasks. */
import { parseCreateWebhook, parsePatchWebhook, parseWebhookUuid } from "../../../base/contract/webhooks.ts";
import { emptyAnswer, jsonAnswer } from "../answer.ts";
import { listAnswer } from "../list-answer.ts";
import type { ApiRoute, Services } from "../services.ts";

export function webhookRoutes({ webhooks }: Services): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/webhooks",
      action: "webhooks.get",
      body: "ignored",
      handle: ({ grant }) => listAnswer(webhooks.list(), (webhook) => webhooks.view(webhook, grant.seesSecrets)),
    },
    {
      method: "POST",
      path: "/webhooks",
      action: "webhooks.create",
      body: "wanted",
      handle: async (request) =>
        jsonAnswer(201, await webhooks.create(parseCreateWebhook(request.json()), request.grant.seesSecrets)),
    },
    {
      method: "GET",
      path: "/webhooks/{uuid}",
      action: "webhooks.get",
      body: "ignored",
      handle: (request) =>
        jsonAnswer(200, webhooks.get(parseWebhookUuid(request.param("uuid")), request.grant.seesSecrets)),
    },
    {
      method: "PATCH",
      path: "/webhooks/{uuid}",
      action: "webhooks.update",
      body: "wanted",
      handle: async (request) => {
        // The body first: a field that can never be changed is refused whatever the path says.
        const changes = parsePatchWebhook(request.json());
        const uuid = parseWebhookUuid(request.param("uuid"));
        return jsonAnswer(200, await webhooks.update(uuid, changes, request.grant.seesSecrets));
      },
    },
    {
      method: "DELETE",
      path: "/webhooks/{uuid}",
      action: "webhooks.delete",
      body: "ignored",
      handle: async (request) => {
        await webhooks.remove(parseWebhookUuid(request.param("uuid")));
        return emptyAnswer(204);
      },
    },
  ];
}
