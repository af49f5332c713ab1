import type { LocalCoordinator } from '#coordinator';
import type { Coordinator, TmuxAnswer, TmuxCalls, TmuxControlAnswer } from '#model';

const loadRoom = () => import('#wire/tmux');

type TmuxServers = InstanceType<Awaited<ReturnType<typeof loadRoom>>['TmuxServers']>;

export interface DaemonTmuxOptions {
  readonly coordinator: Coordinator;
  readonly onFault: (error: unknown) => void;
  /** Replaces secrets in what clients get; null if they get all. */
  readonly withoutSecrets: LocalCoordinator['withoutSecrets'];
}

/** The servers of the command `tmux`. Their room is loaded when it is first needed. */
export class DaemonTmux implements TmuxCalls {
  readonly #options: DaemonTmuxOptions;
  #servers: Promise<TmuxServers> | null = null;

  constructor(options: DaemonTmuxOptions) {
    this.#options = options;
  }

  async run(...call: Parameters<TmuxCalls['run']>): Promise<TmuxAnswer> {
    return (await this.#loaded()).run(...call);
  }

  async control(...call: Parameters<TmuxCalls['control']>): Promise<TmuxControlAnswer> {
    return (await this.#loaded()).control(...call);
  }

  async close(): Promise<void> {
    const servers = await this.#servers?.catch(() => null);
    servers?.dispose();
  }

  #loaded(): Promise<TmuxServers> {
    const { coordinator, ...options } = this.#options;
    this.#servers ??= loadRoom().then(
      (room) => new room.TmuxServers(coordinator, { pid: process.pid, ...options }),
    );
    return this.#servers;
  }
}
