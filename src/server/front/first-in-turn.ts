/** Asks several servers, one after the other and the next one also where one takes long: the first answer counts. */
import { ROUNDS } from "./server-calls.ts";

interface Turns<Server> {
  /** Whether nobody waits for an answer any more. */
  isOver(): boolean;
  /** Whether it may be asked, again or for the first time. */
  mayAsk(server: Server): boolean;
  /** After how long the next one is asked as well. */
  lateMs(server: Server): number;
}

/** `ask` resolves with null for no answer, and never fails. Null when none has one. */
export async function firstInTurn<Server, Answer>(
  servers: readonly Server[],
  ask: (server: Server) => Promise<Answer | null>,
  { isOver, lateMs, mayAsk }: Turns<Server>,
): Promise<Answer | null> {
  const asked: Promise<Answer | null>[] = [];
  for (const server of Array.from({ length: ROUNDS }, () => servers).flat()) {
    if (isOver()) break;
    if (!mayAsk(server)) continue;
    asked.push(ask(server));
    const answer = await firstOf(asked, lateMs(server));
    if (answer !== null) return answer;
  }
  return firstOf(asked, null);
}

/** The first that is an answer; null when there is none among them, or none after a while. */
function firstOf<Answer>(asked: readonly Promise<Answer | null>[], withinMs: number | null): Promise<Answer | null> {
  return new Promise((resolve) => {
    let left = asked.length;
    const timer = withinMs === null ? undefined : setTimeout(() => resolve(null), withinMs);
    const done = (answer: Answer | null): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    if (left === 0) done(null);
    for (const one of asked) {
      void one.then((answer) => {
        left--;
        if (answer !== null || left === 0) done(answer);
      });
    }
  });
}
