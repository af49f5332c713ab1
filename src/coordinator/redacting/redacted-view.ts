import type { CommandRecord } from '#model';
import type { SessionView } from '#session';
import { RedactedLines, RedactedTerminal } from './redacted-terminal.ts';
import type { SecretCells } from './secret-cells.ts';

/** A session as answers show it. */
export type ShownView = SessionView | RedactedView;

/** A session without secrets, for the readers of `watch`. Raw output is as it was written. */
export class RedactedView extends RedactedTerminal<SessionView['terminal']> {
  readonly #view: SessionView;
  readonly outputs: Pick<SessionView['outputs'], 'lines' | 'bytes'>;
  /** Contract: {@link SessionView.all}. */
  readonly all: RedactedLines<SessionView['all']['terminal']>;

  constructor(view: SessionView, cells: SecretCells) {
    super(view.terminal, cells);
    this.#view = view;
    const { all } = view;
    this.all = all === view ? this : new RedactedLines(all.terminal, cells, () => this.openLine);
    this.outputs = {
      lines: (command) => this.#outputOf(command),
      bytes: (command) => view.outputs.bytes(command),
    };
  }

  get id(): string {
    return this.#view.id;
  }

  get oldestLine(): number {
    return this.#view.oldestLine;
  }

  get startLine(): number {
    return this.#view.startLine;
  }

  get erasedTo(): number {
    return this.#view.erasedTo;
  }

  get outputEnd(): number {
    return this.#view.outputEnd;
  }

  shownRows(): ReturnType<SessionView['shownRows']> {
    return this.#view.shownRows();
  }

  keepShown(): void {
    this.#view.keepShown();
  }

  shownAt(revision: number): ReturnType<SessionView['shownAt']> {
    return this.#view.shownAt(revision);
  }

  rawOutput(from: number): ReturnType<SessionView['rawOutput']> {
    return this.#view.rawOutput(from);
  }

  protected override get openLine(): number | null {
    return this.isOpen ? this.terminal.linePosition().line : null;
  }

  protected override get isOpen(): boolean {
    return this.#view.exitStatus === null;
  }

  #outputOf(command: CommandRecord) {
    const output = this.#view.outputs.lines(command);
    const parts = output.parts.map((part) => {
      const { terminal } = part.lines;
      const isOwn = (terminal as unknown) === this.all.terminal;
      return { ...part, lines: isOwn ? this.all : new RedactedLines(terminal, this.cells) };
    });
    return { ...output, parts };
  }
}
