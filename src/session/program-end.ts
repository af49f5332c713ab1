import type { Clock, Emitter } from '#base';
import type { EndedBy, ExitStatus, SessionEvent } from '#model';
import type { Pty } from '#pty';
import { type Ledger, removeKeyFile } from '#shell';
import type { Terminal } from '#vt';
import type { OutputTurns } from './output/output-turns.ts';
import type { SessionOutput, StepTime } from './output/session-output.ts';
import type { SessionFacts } from './saving/session-facts.ts';
import type { SessionChange } from './session-parts.ts';
import type { SessionView } from './session-view.ts';

/** A program that ends within this time after a caller sent a signal ends by request, in ms. */
const requestedMs = 10_000;

export interface ProgramEndParts {
  readonly facts: SessionFacts;
  readonly pty: Pty;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly time: StepTime;
  readonly turns: OutputTurns;
  readonly output: SessionOutput;
  readonly view: SessionView;
  readonly ledger: Ledger;
  readonly events: Emitter<SessionEvent>;
  readonly changes: Emitter<SessionChange>;
  /** Called when what a lost host left cannot be ended. */
  readonly onFault: (error: unknown) => void;
}

/** When and why the program of a session ended. Its exit is applied after the output before it. */
export class ProgramEnd {
  readonly #parts: ProgramEndParts;
  /** In ms since 1970; null while the program runs. */
  atMs: number | null = null;
  /** When a caller sent a signal, or began to end the program; by the monotonic clock. */
  #requestedAtMs = Number.NEGATIVE_INFINITY;
  #by: EndedBy | null;
  #isRequested: boolean;
  /** The exit that the pseudo-terminal reported; null while the program runs. */
  #status: ExitStatus | null = null;

  constructor(parts: ProgramEndParts) {
    this.#parts = parts;
    this.#by = parts.facts.endedBy ?? null;
    this.#isRequested = parts.facts.endRequested ?? false;
  }

  /** The reason, if no caller requested the end; null if there is none. */
  get by(): EndedBy | null {
    return this.#by;
  }

  /** Whether the program ended because a caller requested that. */
  get isRequested(): boolean {
    return this.#isRequested;
  }

  /** Applies the exit when it comes. Must be called once. */
  read(): void {
    this.#parts.pty.onExit((status) => {
      this.#status = status;
      this.#parts.turns.inOrder(() => this.applyNow());
    });
  }

  /** A caller sends a signal, or ends the program. */
  request(): void {
    this.#requestedAtMs = this.#parts.clock.nowMs();
  }

  /** Keeps the reason why the program is being ended, unless it has ended or another is known. */
  note(endedBy: EndedBy): void {
    if (this.#parts.view.exitStatus !== null || this.#by !== null) return;
    this.#by = endedBy;
    this.#parts.changes.emit('facts');
  }

  /** Applies an exit that was reported, also if not all output before it is applied. */
  applyNow(): void {
    const { clock, pty, time, view } = this.#parts;
    // A restored session may have a saved exit.
    if (this.#status === null || view.exitStatus !== null) return;
    const status = this.#status;
    const atMs = pty.exitedAtMs ?? clock.wallMs();
    time.during(time.ofWallMs(atMs), () => this.#apply(status, atMs));
  }

  #apply(status: ExitStatus, atMs: number): void {
    const { changes, clock, events, facts, ledger, onFault, output, pty, terminal, view } =
      this.#parts;
    output.endFrame();
    view.exitStatus = status;
    this.atMs = atMs;
    this.#isRequested ||= clock.nowMs() - this.#requestedAtMs < requestedMs;
    if (pty.isLost) this.#by ??= { reason: 'host_lost' };
    if (this.#by?.reason === 'host_lost') pty.endLeft?.(facts.id).catch(onFault);
    ledger.exit(atMs, terminal.position, status);
    removeKeyFile(facts.shell);
    events.emit({ type: 'exit', ...output.stamp(), status });
    changes.emit('facts');
    changes.emit('state');
  }
}
