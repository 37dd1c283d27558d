/**
 * One request as the routes see it: where it goes, who asks, and the decoded body. Holds no socket; whether the client
 * is still there is a flag and a list of things to stop.
 */

import { readBoundedJson, readShortJson } from "../../base/contract/json-body.ts";
import { invalidContentType, missingContentType, missingPayload } from "../../base/errors/errors.ts";
import { limits } from "../../base/limits.ts";
import type { HeldBody } from "./body-room.ts";
import type { Route } from "./router.ts";

/** Read while the socket's request object is valid, which is only until the first await. */
export interface RequestHead {
  method: string;
  path: string;
  query: string;
  authorization: string | null;
  /** `X-SERVICE-API-KEY`: another carrier of the same token. */
  serviceKey: string | null;
  contentType: string | null;
  contentEncoding: string;
  contentLength: number | null;
  acceptEncoding: string;
  includeMetadata: string;
  /** Of somebody who comes back to a stream; not read for searches. */
  lastEventId: string;
  /** All that is preferred, of several headers together; not read for searches. */
  prefer: string;
  /** Whether another server asks for its part of a search. */
  proxySearch: string;
  /** Those that the route names. */
  others: ReadonlyMap<string, string> | null;
}

const NOTHING = Buffer.alloc(0);

export class ClientRequest<Grant> {
  readonly head: RequestHead;
  readonly route: Route<Grant>;
  readonly #params: readonly string[];
  /** Milliseconds, monotonic. */
  readonly startedAt: number;
  body: Buffer = NOTHING;
  /** What its body takes of the room for bodies; null for one that is not counted. */
  held: HeldBody | null = null;
  aborted = false;
  /** Answered, or given up by its client. */
  finished = false;
  /** Nothing is done for it until its answer is there. */
  isResting = false;
  /** Of several servers that share their state: the change that its answer must have seen; 0 for none. */
  minSequence = 0;
  /** The server of the cluster that passes it on; empty for one that comes from a client. */
  passedOnBy = "";
  #grant: Grant | null = null;
  #abortTasks: (() => void)[] | null = null;

  constructor(head: RequestHead, route: Route<Grant>, params: readonly string[], startedAt: number) {
    this.head = head;
    this.route = route;
    this.#params = params;
    this.startedAt = startedAt;
  }

  get query(): string {
    return this.head.query;
  }

  /** What the caller may do. Routes without an action have none. */
  get grant(): Grant {
    if (this.#grant === null) throw new Error(`${this.route.path} needs no authorization and knows no caller`);
    return this.#grant;
  }

  set grant(grant: Grant) {
    this.#grant = grant;
  }

  /** A decoded path parameter, by its name in the route's pattern. */
  param(name: string): string {
    const at = this.route.paramNames.indexOf(name);
    if (at < 0) throw new Error(`${this.route.path} has no parameter ${name}`);
    return this.#params[at]!;
  }

  /** One of the headers that the route names; empty when absent. */
  header(name: string): string {
    return this.head.others?.get(name) ?? "";
  }

  /** The body as JSON, after the checks of type, presence and syntax that every JSON route shares; it must be short. */
  json(): unknown {
    return readShortJson(this.jsonBytes());
  }

  /** The same of a few values that may be long: they are looked at in turns with others. */
  longJson(): Promise<unknown> {
    return readBoundedJson(this.jsonBytes(), limits.shortBodyValues, () => new Promise(setImmediate));
  }

  /** The body, which is said to be JSON, as it came. */
  jsonBytes(): Buffer {
    const type = contentEssence(this.head.contentType);
    if (type === null) throw missingContentType(["application/json"]);
    if (type !== "application/json") throw invalidContentType(this.head.contentType ?? "", ["application/json"]);
    if (this.body.length === 0) throw missingPayload("json");
    return this.body;
  }

  forgetBody(): void {
    this.body = NOTHING;
  }

  /** Runs at once if the client is gone already. */
  onAbort(stop: () => void): void {
    if (this.aborted) stop();
    else if (this.#abortTasks === null) this.#abortTasks = [stop];
    else this.#abortTasks.push(stop);
  }

  abort(): void {
    this.aborted = true;
    const tasks = this.#abortTasks;
    this.#abortTasks = null;
    if (tasks !== null) for (const stop of tasks) stop();
  }
}

/** The media type without parameters; null when the header is absent. */
export function contentEssence(contentType: string | null): string | null {
  if (contentType === null) return null;
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
