/**
 * Certificate authorities that the operator names besides those of Node (`NODE_EXTRA_CA_CERTS`). Before version 22, Node
 * reads that file, and all of its own, before it runs a program: some 50 ms that a process which is started twice pays
 * twice. The launcher therefore names the file to the server in another variable, and it is read when it is needed.
 */

const NODE_VARIABLE = "NODE_EXTRA_CA_CERTS";
export const EXTRA_AUTHORITIES = "SABRE_EXTRA_CA_CERTS";

/** The environment for a process of this Node that is to read the file late; as it is where Node does so by itself. */
export function readLate(env: NodeJS.ProcessEnv, version = process.versions.node): NodeJS.ProcessEnv {
  const file = env[NODE_VARIABLE];
  if (file === undefined || Number.parseInt(version, 10) >= 22 || usesOtherStore(env)) return env;
  const { [NODE_VARIABLE]: _, ...rest } = env;
  return { ...rest, [EXTRA_AUTHORITIES]: file };
}

/** Node can be told to trust other authorities than its own: what that means is left to it. */
function usesOtherStore(env: NodeJS.ProcessEnv): boolean {
  const given = [...process.execArgv, env["NODE_OPTIONS"] ?? ""].join(" ");
  return /--use-(openssl|system|bundled)-ca/.test(given);
}
