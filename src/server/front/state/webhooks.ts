/**
 * The webhooks: who is told of finished tasks. Keeps them in the store, and beside them the one of the command line,
 * which cannot be changed. Does not send anything.
 */
import { randomUUID } from "node:crypto";
import type { WebhookChange } from "../../../base/contract/webhooks.ts";
import { apiError, webhookNotFound } from "../../../base/errors/errors.ts";
import { redactHeader, redactHeaders } from "../../../base/json/secrets.ts";
import { limits } from "../../../base/limits.ts";
import type { Store, WebhookRecord } from "../../../storage/store/store.ts";

interface WebhookView {
  uuid: string;
  isEditable: boolean;
  url: string;
  headers: Record<string, string>;
}

const CLI_WEBHOOK_UUID = "00000000-0000-0000-0000-000000000000";

export class Webhooks {
  readonly #store: Pick<Store, "webhooks" | "write">;
  readonly #fixed: WebhookRecord | null;

  constructor(store: Pick<Store, "webhooks" | "write">, fixed: WebhookRecord | null) {
    this.#store = store;
    this.#fixed = fixed;
  }

  /** With secrets in clear: for delivery, and to be shown one by one, since all together are long. */
  list(): [uuid: string, webhook: WebhookRecord][] {
    const stored = [...this.#store.webhooks.entries()];
    return this.#fixed === null ? stored : [[CLI_WEBHOOK_UUID, this.#fixed], ...stored];
  }

  /** `reveals`: whether headers are shown as they are, but for `Authorization`, which nobody gets to see again. */
  view([uuid, webhook]: [uuid: string, webhook: WebhookRecord], reveals: boolean): WebhookView {
    return viewOf(uuid, webhook, reveals);
  }

  get(uuid: string, reveals: boolean): WebhookView {
    const webhook = uuid === CLI_WEBHOOK_UUID ? this.#fixed : this.#store.webhooks.get(uuid);
    if (webhook == null) throw webhookNotFound(uuid);
    return viewOf(uuid, webhook, reveals);
  }

  async create(fields: WebhookChange & { url: string }, reveals: boolean): Promise<WebhookView> {
    if (this.#store.webhooks.count() + (this.#fixed === null ? 0 : 1) >= limits.webhooks) {
      throw apiError("invalid_webhooks", `There can be at most ${limits.webhooks} webhooks.`);
    }
    const uuid = randomUUID();
    const webhook = changed({ url: fields.url, headers: {} }, fields);
    await this.#put(uuid, webhook);
    return viewOf(uuid, webhook, reveals);
  }

  async update(uuid: string, changes: WebhookChange, reveals: boolean): Promise<WebhookView> {
    const webhook = changed(this.#stored(uuid), changes);
    await this.#put(uuid, webhook);
    return viewOf(uuid, webhook, reveals);
  }

  async remove(uuid: string): Promise<void> {
    this.#stored(uuid);
    await this.#store.write(() => this.#store.webhooks.remove(uuid));
  }

  #stored(uuid: string): WebhookRecord {
    if (uuid === CLI_WEBHOOK_UUID) {
      throw apiError("immutable_webhook", `Webhook \`${uuid}\` is set on the command line and cannot be changed.`);
    }
    const webhook = this.#store.webhooks.get(uuid);
    if (webhook === undefined) throw webhookNotFound(uuid);
    return webhook;
  }

  #put(uuid: string, webhook: WebhookRecord): Promise<void> {
    return this.#store.write(() => this.#store.webhooks.put(uuid, webhook));
  }
}

function changed(before: WebhookRecord, changes: WebhookChange): WebhookRecord {
  const headers = new Map(changes.headers === null ? [] : Object.entries(before.headers));
  for (const [name, value] of Object.entries(changes.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  if (headers.size > limits.webhookHeaders) {
    throw apiError("invalid_webhook_headers", `A webhook has at most ${limits.webhookHeaders} headers.`);
  }
  const units = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (units > limits.webhookHeadersUnits) {
    const most = limits.webhookHeadersUnits;
    throw apiError("invalid_webhook_headers", `The headers of a webhook have at most ${most} characters together.`);
  }
  return { url: changes.url ?? before.url, headers: Object.fromEntries(headers) };
}

function viewOf(uuid: string, { url, headers }: WebhookRecord, reveals: boolean): WebhookView {
  const shown = reveals ? { ...headers } : (redactHeaders(headers) as Record<string, string>);
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "authorization") shown[name] = redactHeader(value);
  }
  return { uuid, isEditable: uuid !== CLI_WEBHOOK_UUID, url, headers: shown };
}
