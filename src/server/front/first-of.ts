/** Which of several that were asked answers first. */

/** The first that is an answer; null when there is none among them, or none after a while. */
export function firstOf<Answer>(
  asked: readonly Promise<Answer | null>[],
  withinMs: number | null,
): Promise<Answer | null> {
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
