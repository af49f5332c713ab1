import { TmuxError } from '../tmux-error.ts';

interface Channel {
  isLocked: boolean;
  isWoken: boolean;
  waiters: (() => void)[];
  lockers: (() => void)[];
}

/** The channels of `wait-for`. One that nobody uses does not exist. */
export class WaitChannels {
  readonly #channels = new Map<string, Channel>();

  /** Resolves when the channel is signalled; at once if it was, and nobody has waited since. */
  async wait(name: string, signal: AbortSignal): Promise<void> {
    const channel = this.#open(name);
    try {
      if (channel.isWoken) channel.isWoken = false;
      else await queued(channel.waiters, signal);
    } finally {
      this.#close(name);
    }
  }

  signal(name: string): void {
    const channel = this.#open(name);
    channel.isWoken = channel.waiters.length === 0;
    for (const wake of channel.waiters.splice(0)) wake();
    this.#close(name);
  }

  /** Resolves when the caller has the lock. */
  async lock(name: string, signal: AbortSignal): Promise<void> {
    const channel = this.#open(name);
    try {
      if (channel.isLocked) await queued(channel.lockers, signal);
      channel.isLocked = true;
    } finally {
      this.#close(name);
    }
  }

  /** @throws TmuxError */
  unlock(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || !channel.isLocked) {
      throw new TmuxError(`channel ${name} not locked`);
    }
    const next = channel.lockers.shift();
    if (next === undefined) channel.isLocked = false;
    next?.();
    this.#close(name);
  }

  /** Ends all waiting, and forgets all channels: the server ends. */
  flush(): void {
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const { waiters, lockers } of channels) {
      for (const wake of [...waiters.splice(0), ...lockers.splice(0)]) wake();
    }
  }

  #open(name: string): Channel {
    const waitChannel = this.#channels.get(name);
    if (waitChannel !== undefined) return waitChannel;
    const channel = { isLocked: false, isWoken: false, waiters: [], lockers: [] };
    this.#channels.set(name, channel);
    return channel;
  }

  #close(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const { isLocked, isWoken, waiters, lockers } = channel;
    if (!isLocked && !isWoken && waiters.length + lockers.length === 0) this.#channels.delete(name);
  }
}

/** Waits in a queue, until called or until the caller has gone. */
function queued(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = () => {
      const at = queue.indexOf(called);
      if (at !== -1) queue.splice(at, 1);
      reject(signal.reason as Error);
    };
    const called = () => {
      signal.removeEventListener('abort', left);
      resolve();
    };
    if (signal.aborted) return left();
    signal.addEventListener('abort', left, { once: true });
    queue.push(called);
  });
}
