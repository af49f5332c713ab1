/** A place in a row. */
export interface Turn {
  /** Resolves when all who came before are done. */
  readonly ready: Promise<void>;
  /** Lets the next one go. Called twice it is as once. */
  done(): void;
}

/**
 * Keeps things in the order in which they were begun, however long each takes to be ready.
 * Calls of one client go through one at its end, where streams are opened, and through another at
 * the server's, where requests of any size become complete.
 */
export class CallOrder {
  #last: Promise<void> = Promise.resolve();

  take(): Turn {
    let done = () => {};
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    const ready = this.#last;
    this.#last = ready.then(() => mine);
    return { ready, done };
  }
}
