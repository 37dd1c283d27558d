/** Server-sent events in both directions: those of a model read, ours written. */

/** Ends a conversation. */
export const DONE = "[DONE]";

const LONGEST_EVENT = 1 << 22;

/** The data of each event, in whatever pieces the bytes come. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  let data: string[] = [];
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_EVENT) throw new Error("the model sent an event that is too long");
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
