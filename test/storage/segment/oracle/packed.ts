/** Packs documents one by one, by what parsing and writing them again tells. */
import { NAMES_MAX, packedNames } from "../../../../src/storage/segment/documents/packed.ts";
import { plainBodies, type StoredBodies } from "../../../../src/storage/segment/documents/writer.ts";

/** Packed when all documents can be. */
export function storedPlainly(
  documents: Uint8Array,
  offsets: Float64Array | Uint32Array,
  arrived: readonly string[],
): StoredBodies {
  const names = packedNames(arrived);
  const bodies: Buffer[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    const body = packed(Buffer.from(documents.subarray(offsets[row], offsets[row + 1])).toString(), names);
    if (body === null || names.length > NAMES_MAX) return plainBodies(documents, offsets);
    bodies.push(body);
  }
  const ends = new Uint32Array(offsets.length);
  bodies.forEach((body, row) => {
    ends[row + 1] = ends[row]! + body.length;
  });
  return { chunks: bodies, offsets: ends, isPacked: true };
}

/** Null for a document that is not what writing it as compactly as can be gives. */
function packed(document: string, names: readonly string[]): Buffer | null {
  const members = [...spelledMembers(document)];
  const whole = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
  if (whole !== document || /[\0-\x1f]/.test(document)) return null;
  return Buffer.from(members.map(([name, value]) => String.fromCharCode(names.indexOf(name)) + value).join(""));
}

/** Names and values at the top, the values as they are spelled. */
function* spelledMembers(document: string): Generator<[string, string]> {
  const member = /\s*("(?:[^"\\]|\\.)*")\s*:\s*/y;
  member.lastIndex = document.indexOf("{") + 1;
  for (let found = member.exec(document); found !== null; found = member.exec(document)) {
    const end = valueEnd(document, member.lastIndex);
    yield [JSON.parse(found[1]!) as string, document.slice(member.lastIndex, end)];
    member.lastIndex = end + 1;
  }
}

/** Where the comma or brace behind a value is. */
function valueEnd(document: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const letter = document[at]!;
    if (letter === '"') for (at++; document[at] !== '"'; at++) if (document[at] === "\\") at++;
    if (letter === "{" || letter === "[") depth++;
    if (depth === 0 && (letter === "," || letter === "}")) return at;
    if (letter === "}" || letter === "]") depth--;
  }
}
