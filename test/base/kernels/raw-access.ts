/**
 * Finds loads and stores of kernels that name a place by a bare number, as `load<u32>(slot, 4)` and `load<u32>(slot + 4)` do:
 * a field of a struct belongs to an `@unmanaged` class, another place to a constant with a name or to `offsetof`. Arguments
 * are taken apart by their brackets, so calls and shifts inside them hide nothing. Allowed with a number: the next lanes of
 * a vector (`v128.load(at, 16)`, whole registers only), and what is in front of an address (`load<u32>(end - 4)`).
 */

const CALL = /\b(?:(load|store)<\w+>|v128\.(load|store)\w*)\(/g;
const NUMBER = /^(?:0x)?[\da-f_]+$/i;
const NUMBER_ADDED = /\+\s*(?:0x)?\d[\da-f_]*$/i;
const REGISTER_BYTES = 16;

/** The calls themselves, those inside others too. */
export function rawAccesses(code: string): string[] {
  return [...code.matchAll(CALL)].flatMap((call) => {
    const start = call.index + call[0].length;
    const { parts, end } = argumentsAt(code, start);
    const [address = "", ...others] = parts;
    const isVector = call[2] !== undefined;
    // Behind the value that is stored, or a vector and the number of a lane.
    const offset = others.at(call[0].includes("_lane") ? 2 : (call[1] ?? call[2]) === "store" ? 1 : 0);
    const isNumber =
      offset !== undefined && NUMBER.test(offset) && !(isVector && Number(offset) % REGISTER_BYTES === 0);
    return isNumber || (!isVector && NUMBER_ADDED.test(address)) ? [code.slice(call.index, end)] : [];
  });
}

/** What stands between commas that are in no bracket, up to the one that closes; `end` is behind that. */
function argumentsAt(code: string, start: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < code.length; at++) {
    const character = code.charAt(at);
    if ("([{".includes(character)) depth++;
    if (depth === 0 && ",)]}".includes(character)) {
      parts.push(code.slice(from, at).trim());
      from = at + 1;
      if (character !== ",") return { parts: parts.filter((part) => part !== ""), end: from };
    } else if (")]}".includes(character)) depth--;
  }
  throw new Error(`no end of the arguments at ${start}`);
}
