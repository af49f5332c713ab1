import { linuxAbi as abi, type Libc } from '#libc';
import type { ExitStatus } from '#model';
import { toExitStatus } from '../start/exit-status.ts';

/** The exits that are reported before the event loop turns. */
const exitsPerTurn = 16;

/** The longest timer of Node.js, in ms. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Reaps the children that it has started, and no others: Node.js reaps those of `child_process`. Like
 * them, a running child keeps this process alive.
 */
export class ChildExits {
  readonly #libc: Libc;
  readonly #info = Buffer.alloc(abi.siginfo.bytes);
  readonly #running = new Map<number, (status: ExitStatus) => void>();
  readonly #onSignal = (): void => this.#collect();
  #keptAlive: NodeJS.Timeout | null = null;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /**
   * @param spawn starts a child and returns its pid; may throw
   * @param onExit called once, from a later turn of the event loop
   */
  start(spawn: () => number, onExit: (status: ExitStatus) => void): number {
    this.#listen();
    try {
      const pid = spawn();
      this.#running.set(pid, onExit);
      return pid;
    } finally {
      this.#restIfIdle();
    }
  }

  #listen(): void {
    if (this.#keptAlive !== null) return;
    process.on('SIGCHLD', this.#onSignal);
    this.#keptAlive = setInterval(() => {}, maxTimerMs);
  }

  #restIfIdle(): void {
    if (this.#keptAlive === null || this.#running.size > 0) return;
    process.off('SIGCHLD', this.#onSignal);
    clearInterval(this.#keptAlive);
    this.#keptAlive = null;
  }

  /** A signal stands for any number of exits. */
  #collect(): void {
    for (let count = 0; count < exitsPerTurn; count++) {
      const pid = this.#exited(abi.P_ALL, 0, abi.WNOWAIT);
      if (pid === 0) return;
      // A child of `child_process` may hide ours until Node.js has reaped it.
      const isHidden = !this.#running.has(pid);
      for (const each of isHidden ? [...this.#running.keys()] : [pid]) this.#collectOne(each);
      if (isHidden) return;
    }
    setImmediate(this.#onSignal);
  }

  #collectOne(pid: number): void {
    if (this.#exited(abi.P_PID, pid, 0) === 0) return;
    const onExit = this.#running.get(pid);
    this.#running.delete(pid);
    this.#restIfIdle();
    const { si_code, si_status } = abi.siginfo;
    const status = this.#info.readInt32LE(si_status);
    const isNormal = this.#info.readInt32LE(si_code) === abi.CLD_EXITED;
    onExit?.(isNormal ? toExitStatus(status, 0) : toExitStatus(0, status));
  }

  /** Returns a child that has exited, 0 if there is none. */
  #exited(idType: number, id: number, option: number): number {
    this.#info.writeInt32LE(0, abi.siginfo.si_pid);
    const options = abi.WEXITED | abi.WNOHANG | option;
    const result = this.#libc.waitid(idType, id, this.#info, options);
    return result === 0 ? this.#info.readInt32LE(abi.siginfo.si_pid) : 0;
  }
}
