import { type Disposable, Emitter } from '#base';
import { type EndOptions, VtrError } from '#model';
import type { AdoptedPty, Pty, PtyHost, PtySpawnRequest } from '../port.ts';
import type { ProcessEntry } from '../processes/process-table.ts';

/** A host that can be lost: its process can be killed. */
export interface LosablePtyHost extends PtyHost {
  /** Whether it can be reached. */
  readonly isOpen: boolean;
}

/**
 * A host in another process, which is started at once, and again for the first spawn after it was
 * lost. The programs of a lost host have ended.
 */
export class SupervisedPtyHost implements PtyHost {
  readonly #start: () => Promise<LosablePtyHost>;
  #current: Promise<LosablePtyHost>;
  #isClosed = false;
  readonly #superseded = new Emitter<void>();

  /** @param start rejects with a VtrError if the host does not start; the next spawn tries again */
  constructor(start: () => Promise<LosablePtyHost>) {
    this.#start = start;
    this.#current = this.#begin();
  }

  async spawn(request: PtySpawnRequest): Promise<Pty> {
    return (await this.#open()).spawn(request);
  }

  async listProcesses(): Promise<readonly ProcessEntry[]> {
    return (await this.#open()).listProcesses();
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    return (await this.#open()).adopt();
  }

  async detach(): Promise<void> {
    await (await this.#open()).detach();
  }

  onSuperseded(listener: () => void): Disposable {
    return this.#superseded.on(listener);
  }

  async close(options: EndOptions = {}): Promise<void> {
    this.#isClosed = true;
    const current = await this.#current.catch(() => null);
    await current?.close(options);
  }

  async #open(): Promise<LosablePtyHost> {
    if (this.#isClosed) {
      throw new VtrError('UNAVAILABLE', 'the PTY host is closed; create another one');
    }
    const before = this.#current;
    const isUsable = await before.then(
      ({ isOpen }) => isOpen,
      () => false,
    );
    if (!isUsable && this.#current === before) this.#current = this.#begin();
    return this.#current;
  }

  #begin(): Promise<LosablePtyHost> {
    const started = this.#start();
    started.then(
      (host) => host.onSuperseded(() => this.#superseded.emit()),
      // Reported to the callers that wait for it.
      () => {},
    );
    return started;
  }
}
