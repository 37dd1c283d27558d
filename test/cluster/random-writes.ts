/** Writes of every kind, drawn at random from a seed, to one of several servers each. */
import type { TestServer } from "../lib/server.ts";

const INDEXES = ["films", "books", "songs", "people"];
const WORDS = "amber birch cedar dune ember fjord grove heath islet jetty knoll ledge marsh north ocean".split(" ");

export class RandomWrites {
  readonly #servers: readonly TestServer[];
  #state: number;
  readonly #keys: string[] = [];
  readonly #hooks: string[] = [];
  #tasks = 0;

  constructor(servers: readonly TestServer[], seed: number) {
    this.#servers = servers;
    this.#state = seed >>> 0;
  }

  /** Resolves with what was asked, and the status of the answer, or that there was none: a kept connection may end under it. */
  async write(): Promise<string> {
    const [method, url, body] = this.#draw();
    const server = this.#servers[this.#below(this.#servers.length)]!;
    const answer = await server
      .request<{ taskUid?: number; uid?: string; uuid?: string }>(method, url, body)
      .catch(() => null);
    if (answer === null) return `${method} ${url}: lost`;
    if (answer.body?.taskUid !== undefined) this.#tasks = Math.max(this.#tasks, answer.body.taskUid + 1);
    if (url === "/keys" && answer.body?.uid !== undefined) this.#keys.push(answer.body.uid);
    if (url === "/webhooks" && answer.body?.uuid !== undefined) this.#hooks.push(answer.body.uuid);
    return `${method} ${url}: ${answer.status}`;
  }

  #draw(): [method: string, url: string, body?: unknown] {
    const index = `/indexes/${this.#pick(INDEXES)}`;
    const other = this.#pick(INDEXES);
    const id = this.#below(60);
    const kinds: (() => [string, string, unknown?])[] = [
      () => ["POST", `${index}/documents?primaryKey=id`, this.#documents(1 + this.#below(8))],
      () => ["POST", `${index}/documents`, this.#documents(200 + this.#below(300), WORDS.join(" "))],
      () => ["PUT", `${index}/documents`, this.#documents(1 + this.#below(5))],
      () => ["DELETE", `${index}/documents/${id}`],
      () => ["POST", `${index}/documents/delete`, { filter: `year < ${1900 + this.#below(20)}` }],
      () => ["PATCH", `${index}/settings`, { filterableAttributes: ["year"], stopWords: [this.#word()] }],
      () => ["PUT", `${index}/settings/synonyms`, { [this.#word()]: [this.#word()] }],
      () => ["DELETE", `${index}/settings`],
      () => ["POST", "/indexes", { uid: other, primaryKey: "id" }],
      () => ["POST", "/swap-indexes", [{ indexes: [index.slice(9), other] }]],
      () => ["DELETE", this.#below(4) === 0 ? index : "/indexes/none"],
      () => ["POST", `/tasks/cancel?uids=${this.#below(this.#tasks + 1)}`],
      () => ["DELETE", `/tasks?uids=${this.#below(this.#tasks + 1)},${this.#below(this.#tasks + 1)}`],
      () => ["POST", "/keys", { actions: ["search"], indexes: [other], expiresAt: null }],
      () => ["PATCH", `/keys/${this.#pick(this.#keys)}`, { name: this.#word() }],
      () => ["DELETE", `/keys/${this.#pick(this.#keys)}`],
      () => ["PATCH", "/experimental-features", { containsFilter: id % 2 === 0, network: true, chatCompletions: true }],
      () => ["POST", "/webhooks", { url: `http://127.0.0.1:9/${this.#word()}` }],
      () => ["DELETE", `/webhooks/${this.#pick(this.#hooks)}`],
      () => ["PATCH", "/network", { self: this.#word(), remotes: { [this.#word()]: { url: "http://127.0.0.1:9" } } }],
      () => ["PATCH", `/chats/${this.#word()}/settings`, { source: "openAi", apiKey: this.#word() }],
    ];
    // Documents more often than the rest.
    return this.#pick([...kinds, kinds[0]!, kinds[0]!, kinds[2]!, kinds[3]!])();
  }

  #documents(count: number, more = ""): unknown[] {
    return Array.from({ length: count }, () => ({
      id: this.#below(500),
      title: `${this.#word()} ${this.#word()}`,
      year: 1900 + this.#below(100),
      ...(more === "" ? {} : { text: `${this.#word()} ${more} ${more}` }),
    }));
  }

  #word(): string {
    return this.#pick(WORDS);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(Math.max(1, list.length))]!;
  }

  /** xorshift32 */
  #below(bound: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    this.#state >>>= 0;
    return this.#state % bound;
  }
}
