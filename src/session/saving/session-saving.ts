import type { Disposable, Emitter, Listener } from '#base';
import type { Pty, SavedChange, SavedState } from '#pty';
import type { Terminal } from '#vt';
import { type SavedLines, saveLines } from '#vt/saving';
import type { OutputPauses, OutputTurns } from '../output/output-turns.ts';
import type { SessionView } from '../session-view.ts';
import { decodeParts, encodePart, joinParts, partKinds } from './container.ts';
import { type CommandBlock, CommandsEncoder } from './saved-commands.ts';
import { type CoordinatorFacts, encodeFacts, type SessionFacts } from './session-facts.ts';
import { encodeState, type SessionState } from './session-state.ts';

export interface SessionSavingParts {
  readonly pty: Pty;
  readonly terminal: Terminal;
  readonly view: SessionView;
  readonly facts: () => SessionFacts;
  readonly state: () => SessionState;
  readonly changes: Emitter<'facts' | 'state'>;
  readonly pauses: OutputPauses;
  readonly turns: OutputTurns;
  /** Commands that are encoded already. */
  readonly blocks: readonly CommandBlock[];
}

/**
 * Reads what the next coordinator needs of a session, and saves it. When to do that is the caller's
 * decision.
 */
export class SessionSaving {
  readonly #parts: SessionSavingParts;
  readonly #encoder: CommandsEncoder;

  constructor(parts: SessionSavingParts) {
    this.#parts = parts;
    this.#encoder = new CommandsEncoder(parts.blocks);
  }

  /** Absolute offset of the next byte of output. */
  get outputEnd(): number {
    return this.#parts.view.outputEnd;
  }

  get revision(): number {
    return this.#parts.terminal.revision;
  }

  /** The oldest line above the screen. */
  get firstLine(): number {
    return this.#parts.terminal.firstLine;
  }

  /** One past the last complete line above the screen. */
  get linesEnd(): number {
    return this.#parts.terminal.linesEnd;
  }

  /** Contract: `Terminal.returnedFrom`. */
  returnedFrom(revision: number): number {
    return this.#parts.terminal.returnedFrom(revision);
  }

  /** The encoded facts, with those of the coordinator. */
  facts(own: CoordinatorFacts): Uint8Array {
    return encodeFacts({ ...this.#parts.facts(), coordinator: own });
  }

  /**
   * The encoded facts for a file: without what proves the marks of the shell and the key of the archive,
   * because its programs can read the file. They are used when the shell has ended.
   */
  storedFacts(own: CoordinatorFacts): Uint8Array {
    const { shell, archiveKey: _key, reportKey: _report, ...facts } = this.#parts.facts();
    const reason = shell !== undefined && 'reason' in shell ? { shell } : {};
    return encodeFacts({ ...facts, ...reason, coordinator: own });
  }

  /** The state without the lines above the screen. Must not be called while an event is delivered. */
  state(): SavedState {
    const { view, pty, state } = this.#parts;
    const bytes = encodeState(state(), this.#encoder);
    return { offset: view.outputEnd, steps: pty.stepsDelivered, bytes };
  }

  /** Complete lines above the screen; see `saveLines` of the terminal. */
  lines(from: number, to: number, maxBytes?: number): SavedLines {
    const lines = saveLines(this.#parts.terminal, from, to, maxBytes);
    const part = encodePart({ ...lines, kind: partKinds.lines }, { compresses: true });
    return { from: lines.from, to: lines.to, bytes: joinParts([part]) };
  }

  /** Contract: `Pty.save`. */
  save(change: SavedChange): void {
    this.#parts.pty.save(change);
  }

  /** Contract: `Pty.onSavedDropped`. */
  onSavedDropped(listener: (line: number) => void): Disposable {
    return this.#parts.pty.onSavedDropped(listener);
  }

  /**
   * Calls `listener` after each change: of facts by a rename, labels, an ending or the exit; of the
   * state by output, input, steps and the exit. Changes of a replay do not count.
   */
  onChange(listener: Listener<'facts' | 'state'>): Disposable {
    return this.#parts.changes.on(listener);
  }

  /** Whether output has been applied in part. No state can be taken then. */
  get isBusy(): boolean {
    return this.#parts.turns.isBusy;
  }

  /** Contract: `Pty.pause`. */
  pause(): void {
    this.#parts.pauses.pause('saving');
  }

  resume(): void {
    this.#parts.pauses.resume('saving');
  }
}

export interface DecodedLines {
  /** Oldest first. */
  readonly lines: readonly SavedLines[];
  /** Whether nothing was damaged. */
  readonly complete: boolean;
}

/** Decodes saved segments; those that are damaged are left out. */
export function decodeLines(segments: readonly { readonly bytes: Uint8Array }[]): DecodedLines {
  const decoded = segments.map(({ bytes }) => decodeParts(bytes));
  const lines = decoded.flatMap(({ parts }) =>
    parts.filter(({ kind }) => kind === partKinds.lines),
  );
  return { lines, complete: decoded.every(({ complete }) => complete) };
}
