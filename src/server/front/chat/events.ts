/** Server-sent events in both directions: those of a model read, ours written. */

/** Ends a conversation. */
export const DONE = "[DONE]";

/** More than any model says in one turn. */
const TURN_BYTES_MAX = 1 << 24;

/** The data of each event, in whatever pieces the bytes come. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  let data: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > TURN_BYTES_MAX) throw new Error("the model does not come to an end");
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      else if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
  const last = text.trim();
  if (last.startsWith("data:")) data.push(last.slice(5).trimStart());
  if (data.length > 0) yield data.join("\n");
}

export function event(data: string): string {
  return `data: ${data}\n\n`;
}

/** How long a client that lost the connection should wait before it comes back. */
export function retryAfter(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`;
}

/** Moves something on the connection and means nothing. */
export const COMMENT = ":\n\n";
