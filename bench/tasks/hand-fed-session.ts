import { performance } from 'node:perf_hooks';
import type { Clock, Disposable } from '#base';
import type { ExitStatus, Size, WaitRequest, WaitResult } from '#model';
import type { OutputChunk, Pty } from '#pty';
import { completeFacts, Session } from '#session';
import { Terminal } from '#vt';
import { waitFor } from '#watch';

const encoder = new TextEncoder();

/** A session whose output a task writes, as a pseudo-terminal does in a read. */
export class HandFedSession {
  readonly #pty = new HandFedPty();
  readonly #session: Session;

  constructor(name: string, size: Size) {
    this.#session = new Session({
      facts: completeFacts({ name, id: name, shell: { nonce: 'n' } }),
      pty: this.#pty,
      terminal: new Terminal({ size }),
      clock,
      onFault(error) {
        throw error;
      },
    });
  }

  /** The same as `Coordinator.wait`. */
  wait(request: WaitRequest): Promise<WaitResult> {
    return waitFor(this.#session.view, request, clock);
  }

  feed(output: string | Uint8Array): void {
    this.#pty.deliver(typeof output === 'string' ? encoder.encode(output) : output);
  }
}

const clock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    // A wait that never ends must not keep the process running.
    const timer = setTimeout(run, delayMs).unref();
    return { dispose: () => clearTimeout(timer) };
  },
  afterPendingIo(run) {
    const immediate = setImmediate(run);
    return { dispose: () => clearImmediate(immediate) };
  },
};

/** A pseudo-terminal without a program: accepts no input and never exits. */
class HandFedPty implements Pty {
  readonly pid = 0;
  readonly program = '/bin/none';
  readonly outputStart = 0;
  readonly exitedAtMs = null;
  readonly stepsDelivered = 0;
  readonly isSaved = false;
  readonly isLost = false;
  readonly pausedByHost = null;
  readonly exit = new Promise<ExitStatus>(() => {});
  outputEnd = 0;
  readonly #listeners = new Set<(chunk: OutputChunk) => void>();

  deliver(bytes: Uint8Array): void {
    const offset = this.outputEnd;
    this.outputEnd += bytes.length;
    for (const listener of this.#listeners) listener({ offset, bytes });
  }

  /** Keeps no output: a listener receives only what is delivered later. */
  readOutput(_from: number, listener: (chunk: OutputChunk) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  onExit(): Disposable {
    return { dispose() {} };
  }

  async write() {
    return {};
  }

  outputAtHand(): readonly OutputChunk[] {
    return [];
  }

  async keptOutput(): Promise<readonly OutputChunk[]> {
    return [];
  }

  onStep(): Disposable {
    return { dispose() {} };
  }

  onSavedDropped(): Disposable {
    return { dispose() {} };
  }

  note(): void {}
  save(): void {}

  keepLearned(): void {}

  async resize(): Promise<number> {
    return this.outputEnd;
  }

  async signal(): Promise<void> {}
  async suspend(): Promise<void> {}
  async continue(): Promise<void> {}
  forget(): void {}
  pause(): void {}
  resume(): void {}

  async foreground() {
    return { program: null, isLeader: null, readsTerminal: null, alsoWaits: null };
  }

  async foregroundProgram() {
    return { program: null, isLeader: null, readsTerminal: null, alsoWaits: null };
  }

  async directory(): Promise<null> {
    return null;
  }

  async modes(): Promise<null> {
    return null;
  }

  async usage() {
    return { count: 0, residentBytes: 0, cpuMs: 0 };
  }

  async pssBytes(): Promise<null> {
    return null;
  }

  end(): Promise<ExitStatus> {
    return this.exit;
  }
}
