/** The browser of whoever sits at this machine: asked to open an address, and not waited for. */
import { spawn } from "node:child_process";
import type { Terminal } from "./terminal.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Whether there is somebody to look: on a terminal, and on Linux with a screen. */
export function openInBrowser(address: string, { output, env }: Terminal, platform = process.platform): boolean {
  if (output.isTTY !== true) return false;
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  const [program, ...args] = OPENERS[platform] ?? (hasScreen ? ["xdg-open"] : []);
  if (program === undefined) return false;
  const opener = spawn(program, [...args, address], { env, stdio: "ignore", detached: true });
  // Where there is no such program, the address that was printed has to do.
  opener.once("error", () => {});
  opener.unref();
  return true;
}
