// What must be there before the server or its tests can run: the packages, then the build. Ends the process, with the reason
// in plain words, when one of them cannot be had.
import { fileURLToPath } from "node:url";
import { installIfNeeded, SetupError } from "./install.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export async function install() {
  try {
    await installIfNeeded(root);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`sabre-search: ${error.message}\n`);
    process.exit(1);
  }
}

/** `runsIt`: whether a fresh build is run once. */
export async function prepare({ runsIt = true } = {}) {
  await install();
  const { build } = await import("../build.mjs");
  await build({ runsIt });
}
