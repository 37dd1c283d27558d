/** Where the server lies, and where it keeps its binaries: beside the bundles, or in the checkout when run from source. */
import { fileURLToPath } from "node:url";

const isSource = import.meta.url.endsWith(".ts");

export const packageFolder = fileURLToPath(new URL(isSource ? "../../../" : "../", import.meta.url));
export const addonFolder = fileURLToPath(new URL(isSource ? "../../../.natives/" : "./native/", import.meta.url));
