/**
 * Archives made by hand after the description of the format, as other programs make them: folders with entries of their own,
 * "./" before names, links, and long names in both of the usual ways. Shares nothing with the code that is tested.
 */
import { gzipSync } from "node:zlib";

const BLOCK = 512;
const NAME_MAX = 100;

export interface TarEntry {
  name: string;
  content?: string;
  /** Makes it a symbolic link. */
  linkTo?: string;
}

/** A name that ends with a slash is a folder. */
export function tarball(entries: readonly TarEntry[], longNames: "gnu" | "pax" = "gnu"): Buffer {
  const blocks = entries.flatMap(({ name, content = "", linkTo = "" }) => {
    const type = linkTo !== "" ? "2" : name.endsWith("/") ? "5" : "0";
    const long = Buffer.byteLength(name) > NAME_MAX ? longName(name, longNames) : [];
    return [...long, header(name, type, content, linkTo), padded(content)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

function longName(name: string, way: "gnu" | "pax"): Buffer[] {
  if (way === "gnu") return [header("././@LongLink", "L", `${name}\0`, ""), padded(`${name}\0`)];
  // The record begins with its own length, the digits of which count.
  const rest = ` path=${name}\n`;
  let bytes = Buffer.byteLength(rest);
  while (String(bytes).length + Buffer.byteLength(rest) !== bytes) bytes++;
  const record = `${bytes}${rest}`;
  return [header("PaxHeaders/name", "x", record, ""), padded(record)];
}

function header(name: string, type: string, content: string, linkTo: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name.slice(0, NAME_MAX), 0);
  block.write("0000644\0", 100);
  block.write("0001750\0", 108);
  block.write("0001750\0", 116);
  block.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  block.write("14706325474\0", 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write(linkTo, 157);
  block.write("ustar  \0", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padded(content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}
