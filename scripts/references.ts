// Writes docs/reference from the contract of the server: settings, options, errors, routes.
//
//     node --import tsx scripts/references.ts
import { mkdirSync, writeFileSync } from "node:fs";
import { referencePages } from "./references/pages.ts";

const folder = new URL("../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePages()) writeFileSync(new URL(name, folder), text);
