/** Server-sent events, read by hand: what browsers have for them cannot send a key. */

interface ServerEvent {
  event: string;
  data: string;
}

/** Gives the events that are whole and keeps the beginning of the next. */
export class EventReader {
  #rest = "";

  read(text: string): ServerEvent[] {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop()!;
    return blocks.map(eventIn).filter((event) => event.data !== "");
  }
}

function eventIn(block: string): ServerEvent {
  const found: ServerEvent = { event: "message", data: "" };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(event|data):\s?(.*)$/.exec(line) ?? [];
    if (name === "event") found.event = value!;
    if (name === "data") data.push(value!);
  }
  return { ...found, data: data.join("\n") };
}

/** Every event of an answer, until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  const events = new EventReader();
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield* events.read(decoder.decode(value, { stream: true }));
  }
}
