/** A keep-alive HTTP client over node:http: cheap enough not to be what is measured. */
import http from "node:http";

interface Answer {
  status: number;
  body: Buffer;
}

export class Client {
  readonly #base: URL;
  readonly #key: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

  constructor(base: string, key: string) {
    this.#base = new URL(base);
    this.#key = key;
  }

  request(method: string, path: string, body?: string | Uint8Array, type = "application/json"): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers: http.OutgoingHttpHeaders = { authorization: `Bearer ${this.#key}` };
      if (body !== undefined) {
        headers["content-type"] = type;
        headers["content-length"] = Buffer.byteLength(body);
      }
      const request = http.request(
        { host: this.#base.hostname, port: this.#base.port, method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.request(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 400)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
    return JSON.parse(answer.body.toString()) as T;
  }

  /** Polls until the task is finished; throws when it did not succeed. */
  async wait(taskUid: number, everyMs = 2): Promise<void> {
    for (;;) {
      const task = await this.json<{ status: string; error: unknown }>("GET", `/tasks/${taskUid}`);
      if (task.status === "succeeded") return;
      if (task.status === "failed" || task.status === "canceled")
        throw new Error(`task ${taskUid} ${task.status}: ${JSON.stringify(task.error)}`);
      await new Promise((resume) => setTimeout(resume, everyMs));
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
