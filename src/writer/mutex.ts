/** One at a time, in the order of asking: a batch and a finished merge never prepare changes from the same state at once. */
export class Mutex {
  #turn: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(action);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
