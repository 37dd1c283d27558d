/** Where the words of the query stand in a text. The marks are letters that no text has, so that nothing is taken for HTML. */

export const MARK_BEGIN = "\uE000";
export const MARK_END = "\uE001";

interface Piece {
  text: string;
  marked: boolean;
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const [i, part] of text.split(MARK_BEGIN).entries()) {
    const end = i === 0 ? -1 : part.indexOf(MARK_END);
    if (end > 0) pieces.push({ text: part.slice(0, end), marked: true });
    const rest = part.slice(end + 1);
    if (rest !== "") pieces.push({ text: rest, marked: false });
  }
  return pieces;
}
