// `npm start`: installs and builds what is missing, then becomes the server, in one process.
import { demandNode } from "./lib/node-version.mjs";

demandNode();
const { prepare } = await import("./lib/prepare.mjs");
await prepare({ runsIt: false });
await import("../dist/launch.js");
