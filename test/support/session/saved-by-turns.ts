import { decodeUtf8, defined, encodeUtf8 } from '#base';
import type { SavedChange } from '#session';
import { Terminal } from '#vt';
import { restoreTerminal, type SavedTerminal, saveLines, saveTerminal } from '#vt/saving';
import { SessionSave } from '../../../src/coordinator/saving/session-save.ts';
import { expectSameTerminal } from '../vt/same-terminal.ts';
import { KeptChanges } from './kept-changes.ts';

export type TerminalStep =
  | { readonly output: string }
  | { readonly cols: number; readonly rows: number };

const size = { cols: 12, rows: 4 };

/** A terminal that is saved as the coordinator saves a session, and what is saved of it. */
export class SavedByTurns {
  readonly #scrollback: { maxLines: number; maxBytes: number };
  readonly #sliceBytes: number;
  host = new KeptChanges();
  readonly changes: SavedChange[] = [];
  /** Applied, with the offset before each. */
  readonly #steps: TerminalStep[] = [];
  terminal: Terminal;
  outputEnd = 0;
  save: SessionSave;

  /** @param sliceBytes few, so that collecting takes several turns */
  constructor(maxLines: number, sliceBytes = 20) {
    this.#sliceBytes = sliceBytes;
    this.#scrollback = { maxLines, maxBytes: 1 << 24 };
    this.terminal = new Terminal({ size, scrollback: this.#scrollback });
    this.save = this.#newSave();
  }

  #newSave(saved?: ConstructorParameters<typeof SessionSave>[0]['saved']): SessionSave {
    const that = this;
    return new SessionSave({
      session: {
        get outputEnd() {
          return that.outputEnd;
        },
        get revision() {
          return that.terminal.revision;
        },
        get firstLine() {
          return that.terminal.firstLine;
        },
        get linesEnd() {
          return that.terminal.linesEnd;
        },
        returnedFrom: (revision) => this.terminal.returnedFrom(revision),
        lines: (from, to) => saveLines(this.terminal, from, to, this.#sliceBytes),
        state: () => ({ offset: this.outputEnd, steps: this.#steps.length, bytes: this.#state() }),
        isBusy: false,
        save() {},
        pause() {},
        resume() {},
      },
      facts: () => encodeUtf8('facts'),
      save: (change) => {
        this.changes.push(change);
        this.host.apply(change);
      },
      ...defined({ saved }),
    });
  }

  #state(): Uint8Array {
    const { dump, ...rest } = saveTerminal(this.terminal);
    const { size } = this.terminal;
    return encodeUtf8(
      JSON.stringify({ ...rest, size, dump: Buffer.from(dump).toString('base64') }),
    );
  }

  apply(step: TerminalStep): void {
    this.#steps.push(step);
    this.#applyTo(this.terminal, step);
    if ('output' in step) this.outputEnd += encodeUtf8(step.output).length;
  }

  #applyTo(terminal: Terminal, step: TerminalStep): void {
    if ('output' in step) {
      terminal.feed(encodeUtf8(step.output));
      terminal.takeEvents();
      terminal.takeReplies();
    } else terminal.resize(step);
  }

  /**
   * Continues with what was saved, as another coordinator does.
   *
   * @throws Error if the terminal is not the same
   */
  restart(): void {
    const { state, segments } = this.host;
    const terminal = state === null ? this.#empty() : this.#restored(decodeUtf8(state.bytes));
    const { revision, linesEnd } = terminal;
    const offset = state?.offset ?? 0;
    const saved = { offset, revision, linesEnd: state === null ? 0 : linesEnd, segments };
    for (const step of this.#steps.slice(state?.steps ?? 0)) this.#applyTo(terminal, step);
    expectSameTerminal(terminal, this.terminal);
    const { firstLine } = this.terminal;
    if (terminal.firstLine !== firstLine)
      throw new Error(`${terminal.firstLine}, not ${firstLine}`);
    this.terminal = terminal;
    this.save = this.#newSave(saved);
  }

  #empty(): Terminal {
    return new Terminal({ size, scrollback: this.#scrollback });
  }

  #restored(json: string): Terminal {
    const { dump, size, ...rest } = JSON.parse(json);
    const saved = { ...rest, dump: new Uint8Array(Buffer.from(dump, 'base64')) } as SavedTerminal;
    const options = { size, scrollback: this.#scrollback };
    return restoreTerminal(options, saved, this.host.segments).terminal;
  }

  collectAll(): void {
    this.save.take();
    while (!this.save.collect());
  }

  /** Another program has removed what was saved. @throws Error if not all of it is saved again */
  loseFiles(): void {
    const changes = this.host;
    const count = this.changes.length;
    this.save.forget();
    this.host = new KeptChanges();
    this.collectAll();
    this.restart();
    // The PTY host has what was saved before, too.
    this.host = changes;
    for (const each of this.changes.slice(count)) changes.apply(each);
    this.restart();
  }
}
