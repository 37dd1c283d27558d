/**
 * From a path to a route. The table of routes is data; fixed words win over parameters, so a resource that exists
 * under its own name is never read as somebody's id.
 *
 *   /indexes/{index_uid}/documents/fetch      root ─ indexes ─ {} ─ documents ─ fetch
 *   /indexes/{index_uid}/documents/{id}                                      └─ {}
 */
import type { Action } from "../../base/contract/actions.ts";
import type { Method } from "../../base/contract/routes.ts";
import type { Answer } from "./answer.ts";
import type { ClientRequest, RequestHead } from "./request.ts";

export interface RouteSpec<Grant> {
  method: Method;
  /** `/indexes/{index_uid}`: also the label of the route in the metrics. */
  path: string;
  /** What the caller must be allowed to do; several when all of them are needed; null = open to everyone. */
  action: Action | readonly Action[] | null;
  /** Routes that ignore the body answer without waiting for it. */
  body: "ignored" | "wanted";
  /** Of the body, for routes that want more than a few values. */
  bodyBytesMax?: number;
  /** Whether a long body is to lie where other threads can read it. */
  sharesBody?: boolean;
  /** Throws the refusal when there is no room for one more, or nobody else is to be let in: its body is not even read then. */
  admit?: (head: RequestHead) => void;
  /** Whether it is answered from the index in its path alone, and may be as soon as that one is open. */
  isOfOneIndex?: boolean;
  /** Names, in lower case, of headers that this route looks at and most others do not. */
  headers?: readonly string[];
  handle(request: ClientRequest<Grant>): Answer | Promise<Answer>;
}

export interface Route<Grant> extends RouteSpec<Grant> {
  paramNames: readonly string[];
  /** Position in the table: where its metrics are kept. */
  id: number;
}

interface Match<Grant> {
  /** Null when the path exists but not with this method. */
  route: Route<Grant> | null;
  params: string[];
  allowed: string;
}

interface Node<Grant> {
  words: Map<string, Node<Grant>>;
  param: Node<Grant> | null;
  methods: Map<string, Route<Grant>> | null;
}

export class Router<Grant> {
  readonly routes: readonly Route<Grant>[];
  readonly #root: Node<Grant> = emptyNode();

  constructor(specs: readonly RouteSpec<Grant>[]) {
    this.routes = specs.map((spec, id) => ({ ...spec, id, paramNames: paramNames(spec.path) }));
    for (const route of this.routes) this.#add(route);
  }

  /** `method` in upper case; `path` still percent-encoded. Null when no such path exists. */
  match(method: string, path: string): Match<Grant> | null {
    const params: string[] = [];
    let node = this.#root;
    let start = 1;
    // Empty segments vanish: `/indexes/` and `//indexes` are `/indexes`.
    while (start < path.length) {
      let end = path.indexOf("/", start);
      if (end < 0) end = path.length;
      if (end > start) {
        const segment = path.slice(start, end);
        const named = node.words.get(segment);
        if (named !== undefined) {
          node = named;
        } else if (node.param !== null) {
          params.push(percentDecoded(segment));
          node = node.param;
        } else {
          return null;
        }
      }
      start = end + 1;
    }
    if (node.methods === null) return null;
    const route = node.methods.get(method) ?? null;
    return { route, params, allowed: route ? "" : [...node.methods.keys()].join(", ") };
  }

  #add(route: Route<Grant>): void {
    let node = this.#root;
    for (const segment of route.path.split("/")) {
      if (segment === "") continue;
      if (segment.startsWith("{")) {
        node.param ??= emptyNode();
        node = node.param;
      } else {
        const next: Node<Grant> = node.words.get(segment) ?? emptyNode();
        node.words.set(segment, next);
        node = next;
      }
    }
    node.methods ??= new Map();
    if (node.methods.has(route.method)) throw new Error(`${route.method} ${route.path} is registered twice`);
    node.methods.set(route.method, route);
  }
}

function emptyNode<Grant>(): Node<Grant> {
  return { words: new Map(), param: null, methods: null };
}

function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

function percentDecoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
