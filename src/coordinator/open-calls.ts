import { VtrError } from '#model';

/** The calls of a coordinator that have no answer yet. All of them can fail at once. */
export class OpenCalls {
  readonly #open = new Set<(error: Error) => void>();
  #end: 'closed' | 'restarting' | null = null;

  /** @throws VtrError UNAVAILABLE after {@link close} and {@link restart} */
  checkAccepted(): void {
    if (this.#end !== null) throw unavailable(this.#end);
  }

  /** Returns the result of a call. */
  during<T>(result: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#open.add(reject);
      const close = () => this.#open.delete(reject);
      result.then(resolve, reject).then(close);
    });
  }

  /** Accepts no more calls. Those that are open end with their sessions. */
  close(): void {
    this.#end ??= 'closed';
  }

  /** Accepts no more calls, and fails those that are open: their clients can repeat them. */
  restart(): void {
    this.#end ??= 'restarting';
    for (const reject of this.#open) reject(unavailable('restarting'));
    this.#open.clear();
  }
}

function unavailable(end: 'closed' | 'restarting'): VtrError {
  return end === 'closed'
    ? new VtrError('UNAVAILABLE', 'the coordinator is shutting down; start another one', {
        details: { stopping: true },
      })
    : new VtrError('UNAVAILABLE', 'the coordinator is being restarted; try again', {
        details: { restarting: true },
      });
}
