/**
 * Who asks the store: a key with its secret, or a role that is taken on with a token from a file, as clusters put one beside
 * a service. The credentials of a role last for a while; they are asked for again before they end.
 */
import { readFile } from "node:fs/promises";
import { apiError } from "../../base/errors/errors.ts";
import { type Outgoing, SHOWN_ANSWER_CHARS } from "../../base/net/outgoing.ts";
import type { Credentials } from "./signature.ts";

export interface WebIdentity {
  roleArn: string;
  tokenFile: string;
  /** Of the service that hands out credentials. */
  url: string;
  /** How long they are to last. */
  seconds: number;
}

const CALL_MS_MAX = 30_000;
const SESSION_NAME = "sabre-search";
/** Before they end, new ones are asked for. */
const RENEWED_BEFORE_MS = 300_000;

export class Identity {
  readonly #given: Credentials | WebIdentity;
  readonly #outgoing: Pick<Outgoing, "send">;
  #taken: Promise<{ credentials: Credentials; until: number }> | null = null;

  constructor(given: Credentials | WebIdentity, outgoing: Pick<Outgoing, "send">) {
    this.#given = given;
    this.#outgoing = outgoing;
  }

  async credentials(): Promise<Credentials> {
    const given = this.#given;
    if (!("roleArn" in given)) return given;
    this.#taken ??= this.#take(given);
    try {
      const { credentials, until } = await this.#taken;
      if (Date.now() < until - RENEWED_BEFORE_MS) return credentials;
    } catch (problem) {
      this.#taken = null;
      throw problem;
    }
    this.#taken = this.#take(given);
    return (await this.#taken).credentials;
  }

  async #take({ roleArn, tokenFile, url, seconds }: WebIdentity): Promise<{ credentials: Credentials; until: number }> {
    const body = new URLSearchParams({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: roleArn,
      RoleSessionName: SESSION_NAME,
      WebIdentityToken: (await readToken(tokenFile)).trim(),
      DurationSeconds: String(seconds),
    }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await this.#outgoing
      .send({ method: "POST", url, headers, body, timeoutMs: CALL_MS_MAX })
      .catch((problem: Error) => {
        throw apiError("s3_snapshot_server_error", `\`${url}\`, which is to give a role, fails: ${problem.message}`);
      });
    const text = answer.body.toString("utf8");
    const found = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1];
    const [accessKey, secretKey, sessionToken] = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map(found);
    if (answer.status !== 200 || accessKey === undefined || secretKey === undefined || sessionToken === undefined) {
      const said = answer.status === 200 ? "no credentials" : text.slice(0, SHOWN_ANSWER_CHARS);
      const message = `The role \`${roleArn}\` was not given: \`${url}\` answered ${answer.status}: ${said}`;
      throw apiError(answer.status >= 500 ? "s3_snapshot_server_error" : "invalid_s3_snapshot_request", message);
    }
    const until = Date.parse(found("Expiration") ?? "");
    const credentials = { accessKey, secretKey, sessionToken };
    return { credentials, until: Number.isNaN(until) ? Date.now() + 1000 * seconds : until };
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (problem) {
    const message = `The token \`${file}\` for the role cannot be read: ${(problem as Error).message}`;
    throw apiError("invalid_s3_snapshot_parameters", message);
  }
}
