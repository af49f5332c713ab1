import { type Disposable, toDisposable } from '#base';
import { type ExitStatus, hungUp, VtrError } from '#model';
import {
  type Foreground,
  noForeground,
  type OutputChunk,
  type Pty,
  type TerminalModes,
  type TreeUsage,
} from './port.ts';
import { endLeft } from './processes/end-left.ts';

export interface LostPtyParts {
  /** The end of the output that was saved. */
  readonly offset: number;
  /** When the program ended, in ms since 1970. */
  readonly exitedAtMs: number;
}

/**
 * The pseudo-terminal of a program whose host is lost, and with it the program: hung up, without output
 * that is kept. Its session was saved elsewhere.
 */
export class LostPty implements Pty {
  readonly pid = 0;
  readonly program = '';
  readonly outputStart: number;
  readonly outputEnd: number;
  readonly exitedAtMs: number;
  readonly exit: Promise<ExitStatus> = Promise.resolve(hungUp);
  readonly isLost = true;
  /** True, so that changes of the session, such as its name, are saved where the session was saved. */
  readonly isSaved = true;
  readonly stepsDelivered = 0;
  readonly pausedByHost = null;

  #left: Promise<void> | null = null;

  constructor({ offset, exitedAtMs }: LostPtyParts) {
    this.outputStart = offset;
    this.outputEnd = offset;
    this.exitedAtMs = exitedAtMs;
  }

  readOutput(): Disposable {
    return nothing();
  }

  outputAtHand(): readonly OutputChunk[] {
    return [];
  }

  async keptOutput(): Promise<readonly OutputChunk[]> {
    return [];
  }

  onStep(): Disposable {
    return nothing();
  }

  onSavedDropped(): Disposable {
    return nothing();
  }

  note(): void {}
  save(): void {}

  keepLearned(): void {}
  pause(): void {}
  resume(): void {}
  forget(): void {}

  write(): Promise<never> {
    return hasEnded(0);
  }

  resize(): Promise<never> {
    return hasEnded();
  }

  signal(): Promise<never> {
    return hasEnded();
  }

  async foreground(): Promise<Foreground> {
    return noForeground;
  }

  async foregroundProgram(): Promise<Foreground> {
    return noForeground;
  }

  async directory(): Promise<null> {
    return null;
  }

  async modes(): Promise<TerminalModes | null> {
    return null;
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    let isWanted = true;
    void this.exit.then((status) => isWanted && listener(status));
    return toDisposable(() => {
      isWanted = false;
    });
  }

  async usage(): Promise<TreeUsage> {
    return { count: 0, residentBytes: 0, cpuMs: 0 };
  }

  async pssBytes(): Promise<null> {
    return null;
  }

  async suspend(): Promise<void> {}
  async continue(): Promise<void> {}

  endLeft(sessionId: string): Promise<void> {
    this.#left = endLeft(sessionId, null);
    return this.#left;
  }

  async end(): Promise<ExitStatus> {
    await this.#left;
    return this.exit;
  }
}

const nothing = (): Disposable => toDisposable(() => {});

function hasEnded(acceptedBytes?: number): Promise<never> {
  const details = acceptedBytes === undefined ? {} : { details: { acceptedBytes } };
  return Promise.reject(
    new VtrError(
      'SESSION_NOT_RUNNING',
      'the program has ended; revive the session, or spawn another session',
      details,
    ),
  );
}
