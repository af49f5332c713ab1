import { type Clock, type Disposable, Emitter, ignored } from '#base';
import { type EndOptions, VtrError } from '#model';
import type { AdoptedPty, Deprival, Pty, PtyHost, PtySpawnRequest } from '../port.ts';
import type { ProcessEntry } from '../processes/process-table.ts';

/** A host in another process, which can be lost: it can be killed. */
export interface LosablePtyHost extends PtyHost {
  readonly pid: number;
  /** The version of its package. */
  readonly version: string;
  /** Whether it can be reached. */
  readonly isOpen: boolean;
  /** The number of programs, also exited ones, that are not forgotten. */
  readonly sessions: number;
}

export interface PtyHostsOptions {
  /** The one in which programs are started; null if none runs. */
  readonly current: LosablePtyHost | null;
  /** Others, which keep their programs until they have none. */
  readonly old: readonly LosablePtyHost[];
  /** Rejects with a VtrError if it does not start; the next spawn tries again. */
  readonly start: () => Promise<LosablePtyHost>;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** How often hosts without programs are closed, in ms. */
const retireEveryMs = 1_000;

/**
 * All hosts of a daemon: one for new programs, which is started again if it was lost, and those of
 * other versions of the package, which end with their last program. The programs of a lost host have
 * ended.
 */
export class PtyHosts implements PtyHost {
  readonly #options: PtyHostsOptions;
  readonly #deprived = new Emitter<Deprival>();
  #old: readonly LosablePtyHost[];
  /** The one for new programs; null while it cannot be reached. */
  #newest: LosablePtyHost | null = null;
  #current: Promise<LosablePtyHost>;
  #retiring: Disposable | null = null;
  #isClosed = false;

  constructor(options: PtyHostsOptions) {
    const { current, old } = options;
    this.#options = options;
    this.#old = old;
    for (const host of old) host.onDeprived((how) => this.#deprived.emit(how));
    this.#current = current === null ? this.#begin() : Promise.resolve(this.#use(current));
  }

  /** The process in which programs are started; null before it has started. */
  get newest(): Pick<LosablePtyHost, 'pid' | 'version'> | null {
    return this.#newest;
  }

  /** The processes of all hosts that can be reached. */
  get pids(): readonly number[] {
    const newest = this.#newest?.isOpen ? [this.#newest] : [];
    return [...this.#openOld(), ...newest].map(({ pid }) => pid);
  }

  async spawn(request: PtySpawnRequest): Promise<Pty> {
    return (await this.#open()).spawn(request);
  }

  async listProcesses(): Promise<readonly ProcessEntry[]> {
    const current = await this.#open();
    // Each host answers questions about its programs by its own last listing.
    const others = this.#openOld().map((host) => host.listProcesses().catch(() => []));
    const [listed] = await Promise.all([current.listProcesses(), ...others]);
    return listed;
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    const { current, onFault } = this.#options;
    // One that starts now has no programs.
    const running = [...this.#openOld(), ...(current?.isOpen ? [current] : [])];
    const adopting = running.map((host) =>
      host.adopt().catch((error) => {
        onFault(error);
        return [];
      }),
    );
    const all = await Promise.all(adopting);
    // Must come after the adoption: before it, a host seems to have no programs.
    this.#retireLater();
    return all.flat();
  }

  async detach(): Promise<void> {
    await Promise.all((await this.#endAll()).map((host) => host.detach()));
  }

  onDeprived(listener: (how: Deprival) => void): Disposable {
    return this.#deprived.on(listener);
  }

  async close(options: EndOptions = {}): Promise<void> {
    const hosts = await this.#endAll();
    const ends = await Promise.allSettled(hosts.map((host) => host.close(options)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Returns all hosts, after which none is used. */
  async #endAll(): Promise<readonly LosablePtyHost[]> {
    this.#isClosed = true;
    this.#retiring?.dispose();
    const current = await this.#current.catch(() => null);
    return current === null ? this.#old : [...this.#old, current];
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
    const started = this.#options.start().then((host) => this.#use(host));
    ignored(started, 'the callers that wait for it get the error');
    return started;
  }

  #use(host: LosablePtyHost): LosablePtyHost {
    host.onDeprived((how) => this.#deprived.emit(how));
    this.#newest = host;
    return host;
  }

  #openOld(): LosablePtyHost[] {
    return this.#old.filter(({ isOpen }) => isOpen);
  }

  #retireLater(): void {
    if (this.#old.length === 0 || this.#isClosed) return;
    this.#retiring = this.#options.clock.schedule(retireEveryMs, () => {
      const { onFault } = this.#options;
      const empty = this.#openOld().filter(({ sessions }) => sessions === 0);
      for (const host of empty) host.close().catch(onFault);
      this.#old = this.#openOld().filter((host) => !empty.includes(host));
      this.#retireLater();
    });
  }
}
