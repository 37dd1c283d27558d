/**
 * `Prefer` (RFC 7240), of which one preference is known: `wait=SECONDS`, how long the answer to a write may take so that it
 * can tell what became of its task. What is not understood is as good as not said.
 */

/** Seconds to wait at most; null when there is no such wish, or none that makes sense. Several headers are joined by commas. */
export function readWait(prefer: string): number | null {
  for (let at = 0; at < prefer.length; ) {
    const end = endOfPart(prefer, at, ",");
    const [name, value] = preferenceIn(prefer.slice(at, Math.min(end, endOfPart(prefer, at, ";"))));
    // Of a preference that comes twice, only the first one counts.
    if (name === "wait") return readSeconds(value);
    at = end + 1;
  }
  return null;
}

/** Where the next mark is that does not stand in quotes. */
function endOfPart(text: string, from: number, mark: string): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') isQuoted = !isQuoted;
    else if (isQuoted && unit === "\\") at++;
    else if (!isQuoted && (unit === mark || unit === ",")) return at;
  }
  return text.length;
}

function preferenceIn(text: string): [name: string, value: string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.trim().toLowerCase(), ""];
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1).trim()];
}

function readSeconds(value: string): number | null {
  const digits = /^"?(\d{1,9})"?$/.exec(value)?.[1];
  return digits === undefined || value.startsWith('"') !== value.endsWith('"') ? null : Number(digits);
}
