/** Sends a file of documents, piece by piece, and tells how far it is. */
import { authorization, indexPath } from "../api/client.ts";
import { problemIn, RequestProblem, UNREACHABLE } from "../api/problem.ts";
import type { TaskSummary } from "../api/types.ts";
import { CONTENT_TYPES, formatOf, Pieces } from "./pieces.ts";

/** Well below what the server takes at once by default. */
const PIECE_BYTES = 20_000_000;

/** Resolves with the tasks it became. `told` hears of bytes sent. */
export async function upload(uid: string, file: File, told: (sent: number) => void): Promise<number[]> {
  const format = formatOf(file.name);
  if (format === null) {
    throw new RequestProblem(`${file.name}: only files that end in .json, .ndjson, .jsonl or .csv`, 0, "unknown");
  }
  const tasks: number[] = [];
  const pieces = new Pieces(format, PIECE_BYTES);
  let sent = 0;
  const send = async (ready: readonly Uint8Array<ArrayBuffer>[]): Promise<void> => {
    for (const piece of ready) {
      tasks.push(await sendPiece(uid, piece, CONTENT_TYPES[format], (bytes) => told(sent + bytes)));
      sent += piece.length;
    }
  };
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) await send(pieces.add(part.value));
  await send(pieces.end());
  return tasks;
}

/** By the older of the two ways to ask: the newer one does not tell how much was sent. */
function sendPiece(
  uid: string,
  piece: Uint8Array<ArrayBuffer>,
  contentType: string,
  told: (sent: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", indexPath(uid, "/documents"));
    request.setRequestHeader("Content-Type", contentType);
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => told(loaded);
    request.onerror = () => reject(UNREACHABLE);
    request.onload = () => {
      if (request.status === 202) resolve((JSON.parse(request.responseText) as TaskSummary).taskUid);
      else reject(problemIn(request.status, request.responseText));
    };
    request.send(piece);
  });
}
