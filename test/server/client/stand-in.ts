/** A server that answers as the interface of Meilisearch is written down, as far as a migration asks it; and fails as told. */
import http from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Record<string, unknown>;

export interface StandInData {
  indexes: Record<string, { primaryKey: string | null; settings: Fields; documents: Fields[] }>;
  keys: Fields[];
}

interface Answer {
  status: number;
  body: unknown;
}

const PAGE = 20;
const problem = (status: number, code: string, message: string): Answer => ({
  status,
  body: {
    message,
    code,
    type: status === 403 ? "auth" : "invalid_request",
    link: `https://docs.example/errors#${code}`,
  },
});

export class StandIn {
  readonly data: StandInData;
  url = "";
  /** What was asked, in its order. */
  readonly asked: string[] = [];
  /** What is not answered as it should be: `cut` breaks the connection in the middle of the answer. Null lets it pass. */
  trouble: (path: string) => number | "cut" | null = () => null;
  /** Of every index. */
  updatedAt = "2026-01-02T03:04:05.678901234Z";
  readonly #key: string;
  readonly #server: http.Server;

  private constructor(data: StandInData, key: string) {
    this.data = data;
    this.#key = key;
    this.#server = http.createServer((request, response) => this.#hear(request, response));
  }

  static async start(data: StandInData, key: string): Promise<StandIn> {
    const standIn = new StandIn(data, key);
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    standIn.url = `http://127.0.0.1:${(standIn.#server.address() as AddressInfo).port}`;
    return standIn;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #hear({ method, url, headers }: http.IncomingMessage, response: http.ServerResponse): void {
    const { pathname, search, searchParams } = new URL(url!, "http://stand-in");
    this.asked.push(pathname + search);
    const trouble = this.trouble(pathname + search);
    const { status, body } =
      typeof trouble === "number"
        ? problem(trouble, trouble === 403 ? "invalid_api_key" : "internal", `made up: ${trouble}`)
        : this.#answer(method!, pathname, searchParams, headers.authorization);
    const text = JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    if (trouble !== "cut") response.end(text);
    else response.write(text.slice(0, text.length / 2), () => response.destroy());
  }

  #answer(method: string, pathname: string, query: URLSearchParams, authorization: string | undefined): Answer {
    if (authorization === undefined) {
      const message = "The Authorization header is missing. It must use the bearer authorization method.";
      return problem(401, "missing_authorization_header", message);
    }
    if (authorization !== `Bearer ${this.#key}`)
      return problem(403, "invalid_api_key", "The provided API key is invalid.");
    if (method !== "GET") return problem(405, "bad_request", "a migration only reads");
    const page = (all: readonly unknown[]): Answer => {
      const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? PAGE)];
      return { status: 200, body: { results: all.slice(offset, offset + limit), offset, limit, total: all.length } };
    };
    const { updatedAt } = this;
    const dates = { createdAt: "2025-01-01T00:00:00Z", updatedAt };
    if (pathname === "/indexes") {
      return page(Object.entries(this.data.indexes).map(([uid, { primaryKey }]) => ({ uid, ...dates, primaryKey })));
    }
    if (pathname === "/keys") return page(this.data.keys.map((key) => ({ ...key, ...dates })));
    const [, uid = "", part = ""] = /^\/indexes\/([^/]+)\/(settings|documents)$/.exec(pathname) ?? [];
    const index = this.data.indexes[uid];
    if (index === undefined) return problem(404, "index_not_found", `Index \`${uid}\` not found.`);
    if (part === "settings") return { status: 200, body: index.settings };
    if (query.get("retrieveVectors") === "true") return page(index.documents);
    return page(index.documents.map(({ _vectors: _, ...rest }) => rest));
  }
}
