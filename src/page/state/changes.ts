/** When to look again: whenever the server says that a task has changed, or every second where it cannot say so. */
import { open } from "../api/client.ts";
import { eventsOf } from "../api/events.ts";
import { problemOf, wantsKey } from "../api/problem.ts";

const LOOK_MS = 1000;

/** Calls `look` until the signal ends it, and never before the last call is through. */
export async function whileTasksChange(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  await look();
  const isStreamed = await stream(signal, look);
  if (!isStreamed) await poll(signal, look);
}

/** False where there is no stream; resolves with true when it was ended from here. */
async function stream(signal: AbortSignal, look: () => Promise<void>): Promise<boolean> {
  let isUnderWay = false;
  let isWanted = false;
  const lookOnce = async (): Promise<void> => {
    isWanted = true;
    if (isUnderWay) return;
    isUnderWay = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      await look();
    }
    isUnderWay = false;
  };
  try {
    const response = await open("GET", "/tasks/stream", { signal });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return false;
    for await (const _ of eventsOf(response)) void lookOnce();
  } catch (error) {
    return signal.aborted || wantsKey(problemOf(error));
  }
  return signal.aborted;
}

/** Nobody looks at a page that is not shown. */
async function poll(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await new Promise((resume) => setTimeout(resume, LOOK_MS));
    if (!signal.aborted && document.visibilityState === "visible") await look();
  }
}
