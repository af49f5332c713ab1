import type { Line, RenderFormat, ScreenRequest, ScreenSnapshot, Size } from '#model';
import { Terminal } from '#vt';
import type { TerminalFacts } from './saving/session-facts.ts';
import { screenRows, TerminalLines, TerminalReader, type TextFormat } from './terminal-reader.ts';

/** A terminal of a session as it was, from a dump on. Nothing is reported or answered. */
export class EarlierTerminal extends TerminalLines<Terminal> {
  readonly #reader: TerminalReader;

  constructor(
    facts: TerminalFacts,
    begin: { readonly size: Size; readonly firstLine: number; readonly dump: Uint8Array },
  ) {
    const { size, firstLine, dump } = begin;
    super(new Terminal({ ...facts, size, firstLine }));
    this.#reader = new TerminalReader(this.terminal);
    this.feed(dump);
  }

  feed(bytes: Uint8Array): void {
    this.terminal.feed(bytes);
    this.terminal.takeEvents();
    this.terminal.takeReplies();
  }

  resize(size: Size): void {
    this.terminal.resize(size);
  }

  /** Shows an open frame as far as it is drawn. */
  endFrame(): void {
    this.terminal.endFrame();
  }

  /** @throws VtrError INVALID_ARGUMENT */
  screen(request: ScreenRequest): ScreenSnapshot {
    return this.#reader.screen(request);
  }

  /** Returns the lines from `from` up to but excluding `to` that are kept. */
  renderedLines(from: number, to: number, format: RenderFormat, cells?: number): readonly Line[] {
    const aboveScreen = cells !== undefined && Number.isFinite(cells);
    return this.#reader.lines({ from, to, format, aboveScreen }).lines;
  }

  screenRows(format?: TextFormat): readonly string[] {
    return screenRows(this.terminal, format ?? 'text');
  }

  /** Whether another terminal shows the same. */
  showsSame(other: EarlierTerminal): boolean {
    const { terminal } = this;
    const before = JSON.stringify([terminal.screenCells().rows, terminal.cursor]);
    return before === JSON.stringify([other.terminal.screenCells().rows, other.terminal.cursor]);
  }
}
