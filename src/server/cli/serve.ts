/**
 * `serve`: how the server starts and stops. Reads the options, opens the data, starts the threads, and puts the parts
 * together. Nothing here answers a request or changes an index.
 */
import { randomBytes } from "node:crypto";
import { keepCode } from "../../base/bundle/keep.ts";
import { Log } from "../../base/log/log.ts";
import { shareDictionaries } from "../../base/text/dictionary-memory.ts";
import { prepareWriter } from "../front/writer-thread.ts";
import { invocation } from "../options/invocation.ts";
import { parseAddress } from "../options/kinds.ts";
import { MASTER_KEY_BYTES_MIN, type Options, readOptions } from "../options/options.ts";
import { hideSecretArguments } from "../options/secret-arguments.ts";
import { packageVersion } from "../options/version.ts";
import { bannerText, showsColours } from "../start/banner.ts";
import { EXIT_FAILURE } from "./exit-status.ts";

/** One request to stop may come as two signals: a terminal or supervisor signals the whole group, and a launcher passes on its own. */
const SAME_STOP_MS = 500;
/** By then the code of the start and of the first requests has run, and nothing of it is forgotten yet. */
const KEEP_CODE_AFTER_MS = 3000;

export async function serve(args: readonly string[]): Promise<number> {
  const version = packageVersion();
  const startup = readOptions(args, process.env, version);
  if (startup.kind === "print") {
    process.stdout.write(`${startup.text}\n`);
    return 0;
  }
  const { options } = startup;
  hideSecretArguments(process);
  const log = new Log(options.logLevel, options.logsMode);
  log.secrets.add(options.masterKey, options.taskWebhookAuthorizationHeader, options.personalizationApiKey);
  if (options.s3 !== null && "secretKey" in options.s3.identity) log.secrets.add(options.s3.identity.secretKey);
  const blobs = options.cluster?.blobs;
  if (blobs?.kind === "s3" && "secretKey" in blobs.store.identity) log.secrets.add(blobs.store.identity.secretKey);
  if (options.cluster?.place.kind === "nats") log.secrets.add(options.cluster.place.password);
  process.on("uncaughtException", (error) => {
    log.error("main", "unexpected failure; the server stops", { cause: error.stack ?? error.message });
    process.exit(EXIT_FAILURE);
  });
  adviseOnMasterKey(options, log);
  shareDictionaries();
  const writer = prepareWriter();
  // Loaded only now: asking for help or giving a wrong option needs none of the server.
  const { assemble } = await import("../start/assemble.ts");
  const server = await assemble(options, version, log, writer);
  const { host, port } = parseAddress(options.httpAddr);
  const bound = await server.listen(host, port).catch(async (error) => {
    await server.stop();
    throw error;
  });
  stopOnSignal(server.stop, log);
  log.info("main", "the server listens", { address: `${host}:${bound}`, env: options.env, version });
  if (options.logsMode === "human" && log.wants("info")) {
    const facts = { version, host, port: bound, transport: server.transport, dataPath: options.dbPath };
    const protection = { isTls: options.sslCertPath !== null, hasMasterKey: options.masterKey !== null };
    const program = process.stderr.isTTY ? invocation() : null;
    const shown = { ...facts, ...protection, hasPage: !options.noDashboard, program };
    process.stderr.write(bannerText(shown, showsColours(process.stderr)));
  }
  const keeping = setInterval(() => keepCode() && clearInterval(keeping), KEEP_CODE_AFTER_MS).unref();
  return 0;
}

/** The first signal lets what is under way finish; a second one does not. */
function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stoppingSince: number | null = null;
  const onSignal = (signal: string): void => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_STOP_MS) process.exit(EXIT_FAILURE);
      return;
    }
    stoppingSince = performance.now();
    log.info("main", "stopping", { signal });
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        log.error("main", "the stop failed", { cause: error.stack ?? error.message });
        process.exit(EXIT_FAILURE);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

/** Production has refused to start already; while developing a word is enough. */
function adviseOnMasterKey({ masterKey }: Options, log: Log): void {
  if (masterKey !== null && Buffer.byteLength(masterKey) >= MASTER_KEY_BYTES_MIN) return;
  const suggestion = randomBytes(32).toString("base64url");
  const state = masterKey === null ? "no master key is set: everybody may do everything" : "the master key is short";
  log.warn("main", `${state}; before production, set one such as --master-key="${suggestion}"`);
}
