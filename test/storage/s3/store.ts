/**
 * A small S3-compatible store on the loopback interface: uploads in parts, reading with ranges. Checks every signature
 * after the description of version 4, on its own. Can be told to fail.
 */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const CREDENTIALS = { accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
export const REGION = "eu-north-7";
export const BUCKET = "my bucket";

interface StoreCall {
  method: string;
  key: string;
  query: URLSearchParams;
}

interface Answer {
  status: number;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

type Wrong = Answer | "hang up" | null;
/** What a call is answered instead of the truth; null for the truth. It may take a while. */
type Fault = (call: StoreCall) => Wrong | Promise<Wrong>;

export class LoopbackStore {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly calls: StoreCall[] = [];
  /** The most parts that were on their way at the same time. */
  partsAtOnce = 0;
  /** Parts wait for this. */
  gate: Promise<void> = Promise.resolve();
  fault: Fault = () => null;
  rolesGiven = 0;
  readonly #server: Server;
  #partsNow = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  count(method: string, name: string): number {
    return this.calls.filter((call) => call.method === method && call.query.has(name)).length;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    const [, bucket = "", ...parts] = url.pathname.split("/").map(decodeURIComponent);
    const call = { method: request.method!, key: parts.join("/"), query: url.searchParams };
    const problem = signatureProblem(call.method, request.url!, request.headers.host!);
    const isPart = call.query.has("partNumber");
    const isRole = url.pathname === "/sts";
    if (isPart) this.partsAtOnce = Math.max(this.partsAtOnce, ++this.#partsNow);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isPart) await this.gate;
    if (isPart) this.#partsNow--;
    this.calls.push(call);
    const fault = await this.fault(call);
    if (fault === "hang up") {
      response.destroy();
      return;
    }
    const {
      status,
      body = "",
      headers = {},
    } = fault ??
    (isRole
      ? this.#giveRole(Buffer.concat(chunks))
      : this.#judge(call, bucket, problem, Buffer.concat(chunks), request));
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body);
  }

  #judge(call: StoreCall, bucket: string, problem: string | null, body: Buffer, request: IncomingMessage): Answer {
    if (problem !== null) return { status: 403, body: `<Error><Code>SignatureDoesNotMatch</Code>${problem}</Error>` };
    if (bucket !== BUCKET) return { status: 404, body: "<Error><Code>NoSuchBucket</Code></Error>" };
    return this.#serve(call, body, request.headers.range);
  }

  /** Credentials that are the usual ones, but count only together with their token. */
  #giveRole(body: Buffer): Answer {
    const form = new URLSearchParams(body.toString());
    const isRight = form.get("Action") === "AssumeRoleWithWebIdentity" && form.get("WebIdentityToken") === "the-token";
    if (!isRight) return { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" };
    this.rolesGiven++;
    const until = new Date(Date.now() + 1000 * Number(form.get("DurationSeconds"))).toISOString();
    const { accessKey, secretKey } = CREDENTIALS;
    const keys = `<AccessKeyId>ROLE${accessKey}</AccessKeyId><SecretAccessKey>${secretKey}</SecretAccessKey>`;
    return { status: 200, body: `<C>${keys}<SessionToken>s/e+s</SessionToken><Expiration>${until}</Expiration></C>` };
  }

  #serve({ method, key, query }: StoreCall, body: Buffer, range: string | undefined): Answer {
    if (method === "POST" && query.has("uploads")) {
      const id = `up&load/${this.uploads.size + 1}`;
      this.uploads.set(id, new Map());
      return { status: 200, body: `<Initiate><UploadId>${id.replace("&", "&amp;")}</UploadId></Initiate>` };
    }
    const id = query.get("uploadId");
    if (id !== null) return this.#serveUpload(id, { method, key, query }, body);
    if (key === "") return this.#list(query.get("prefix") ?? "", query.get("continuation-token"));
    if (method === "DELETE") return { status: this.objects.delete(key) ? 204 : 404 };
    if (method === "PUT" && this.objects.has(key)) return { status: 412 };
    if (method === "PUT") {
      this.objects.set(key, body);
      return { status: 200 };
    }
    const object = this.objects.get(key);
    if (object === undefined) return { status: 404 };
    if (method === "HEAD") return { status: 200, headers: { "content-length": String(object.length) } };
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    return { status: range === undefined ? 200 : 206, body: object.subarray(from) };
  }

  /** Two at a time. */
  #list(prefix: string, after: string | null): Answer {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const rest = keys.filter((key) => after === null || key > after);
    const entry = (key: string): string =>
      `<Contents><Key>${key.replace("&", "&#38;")}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>`;
    const more = rest.length > 2 ? `<NextContinuationToken>${rest[1]}</NextContinuationToken>` : "";
    return { status: 200, body: `<ListBucketResult>${rest.slice(0, 2).map(entry).join("")}${more}</ListBucketResult>` };
  }

  #serveUpload(id: string, { method, key, query }: StoreCall, body: Buffer): Answer {
    const upload = this.uploads.get(id);
    if (upload === undefined) return { status: 404, body: "<Error><Code>NoSuchUpload</Code></Error>" };
    if (method === "PUT") {
      upload.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: { etag: `"${md5(body)}"` } };
    }
    this.uploads.delete(id);
    if (method === "DELETE") return { status: 204 };
    const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&#34;(\w+)&#34;<\/ETag>/g)];
    const parts = listed.map(([, number, tag]) => {
      const part = upload.get(Number(number));
      return part && md5(part) === tag ? part : null;
    });
    if (parts.includes(null) || parts.length !== upload.size)
      return { status: 400, body: "<Error>InvalidPart</Error>" };
    this.objects.set(key, Buffer.concat(parts as Buffer[]));
    return { status: 200, body: "<CompleteMultipartUploadResult/>" };
  }
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}

/** What is wrong with the signature in the query; null when nothing is. */
function signatureProblem(method: string, target: string, host: string): string | null {
  const [path = "", queryText = ""] = target.split("?");
  const pairs = queryText.split("&").map((pair) => pair.split("=") as [string, string]);
  const query = new Map(pairs.map(([name, value]) => [decodeURIComponent(name), decodeURIComponent(value)]));
  const [accessKey, day, region, service, end] = (query.get("X-Amz-Credential") ?? "").split("/");
  const date = query.get("X-Amz-Date") ?? "";
  const isRole = accessKey === `ROLE${CREDENTIALS.accessKey}`;
  if (!isRole && accessKey !== CREDENTIALS.accessKey) return "nobody";
  if (isRole && query.get("X-Amz-Security-Token") !== "s/e+s") return "token";
  if (region !== REGION || service !== "s3" || end !== "aws4_request" || !date.startsWith(`${day}T`)) return "scope";
  const begun = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const age = Date.now() - begun;
  if (!(age > -60_000 && age < Number(query.get("X-Amz-Expires")) * 1000)) return "expired";
  const canonical = pairs
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.join("="))
    .sort()
    .join("&");
  const request = `${method}\n${path}\n${canonical}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/s3/aws4_request\n${createHash("sha256").update(request).digest("hex")}`;
  const mac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest();
  const key = mac(mac(mac(mac(`AWS4${CREDENTIALS.secretKey}`, day!), region), "s3"), "aws4_request");
  return mac(key, text).toString("hex") === query.get("X-Amz-Signature") ? null : "signature";
}
