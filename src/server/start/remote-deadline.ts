/** How long other servers of the network may take to answer their part of a search, where the environment says so. */
import { REMOTE_BOUNDS } from "../../base/net/remotes.ts";
import { OptionError } from "../options/options.ts";

const VARIABLE = "MEILI_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS";

export function remoteDeadlineMs(env: NodeJS.ProcessEnv): number {
  const given = env[VARIABLE];
  if (given === undefined || given === "") return REMOTE_BOUNDS.deadlineMs;
  const seconds = Number(given);
  if (!(seconds > 0 && seconds <= 3600))
    throw new OptionError(`\`${VARIABLE}\` must be a number of seconds up to 3600`);
  return seconds * 1000;
}
