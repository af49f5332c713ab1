import { EarlierTerminal, type TerminalFacts } from '#session';
import { type Moment, Transcript } from '#watch';
import type { Turns } from './earlier-state.ts';

/** A program that does not draw in frames (mode 2026) has drawn its screen when no output follows for so long, in ms. */
const drawnMs = 8;

/** Output whose screens are compared takes so many times the time of output that is only applied. */
const screenWork = 5;
/** A screen that is looked at within one read takes the time of so many bytes of output. */
const lookWork = 16 * 1024;
/** Output is applied in pieces of this size: each may show many screens. */
const pieceBytes = 4 * 1024;

/** Returns what the alternate screen has shown in a recording, up to a moment. */
export async function transcriptOf(
  facts: TerminalFacts,
  { segments, segment: last, ...end }: Moment,
  turns: Turns,
): Promise<Transcript> {
  const transcript = new Transcript();
  const screen = new SeenScreen(transcript);
  for (const segment of segments) {
    const { begin } = segment;
    const terminal = new EarlierTerminal(facts, begin);
    screen.look();
    screen.begin(terminal, begin.offset);
    for (const step of segment.steps(segment === last ? end : segment.end)) {
      if (step.type === 'frameEnd') {
        terminal.endFrame();
        screen.look();
      }
      if (step.type !== 'output') continue;
      for (let at = 0; at < step.bytes.length; at += pieceBytes) {
        const piece = step.bytes.subarray(at, at + pieceBytes);
        const looks = screen.feed(piece, step.atMs);
        await turns.worked(piece.length * screenWork + looks * lookWork);
      }
    }
  }
  screen.look();
  return transcript;
}

type RowReader = ReturnType<EarlierTerminal['terminal']['readRow']>;

/** Shows a transcript what a terminal shows. */
class SeenScreen {
  readonly #transcript: Transcript;
  #terminal: EarlierTerminal | null = null;
  #offset = 0;
  #rows: string[] = [];
  /** Where the rows are not blank. */
  readonly #columns: string[] = [];
  /** The column in which a side bar begins; null without one. */
  #side: number | null = null;
  /** The revision of {@link #rows}; null if the alternate screen was not shown. */
  #revision: number | null = null;
  #wasAlternate = false;
  /** How many rows have left the screen since it was looked at. */
  #left = 0;
  /** Where the output ends that is being fed. */
  #fedEnd = 0;
  /** How often it may still be looked at. */
  #looksLeft = 0;
  /** When output was fed last, in ms. */
  #fedMs = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** @param offset of the output that follows */
  begin(terminal: EarlierTerminal, offset: number): void {
    this.#terminal = terminal;
    terminal.terminal.onRowsLeaving((...rows) => this.#beforeLeaving(...rows));
    this.#offset = offset;
    this.#revision = null;
    // The program may have shown more before.
    if (terminal.terminal.alternate && !this.#wasAlternate) this.#transcript.begin(true);
    this.#wasAlternate = terminal.terminal.alternate;
    this.look();
  }

  /** @returns how often the screen was looked at before rows left it */
  feed(bytes: Uint8Array, atMs: number): number {
    const terminal = this.#terminal?.terminal;
    if (terminal === undefined) return 0;
    if (atMs - this.#fedMs >= drawnMs) this.look();
    this.#fedMs = atMs;
    this.#fedEnd = this.#offset + bytes.length;
    // A few bytes can erase the screen again and again.
    const most = 2 + (2 * bytes.length) / terminal.size.rows;
    this.#looksLeft = most;
    for (let at = 0; at < bytes.length; ) {
      const isFrame = terminal.frameOpen;
      const count = terminal.feedToFrameBoundary(bytes.subarray(at));
      at += count;
      this.#offset += count;
      terminal.takeEvents();
      terminal.takeReplies();
      if (isFrame && !terminal.frameOpen) this.look();
    }
    return most - this.#looksLeft;
  }

  /**
   * Looks at a screen that loses rows which no look has seen, as when many rows scroll within one read. Half of the rows
   * must be on two of the screens that are compared: they tell where the others belong.
   */
  #beforeLeaving(top: number, bottom: number, count: number): void {
    const terminal = this.#terminal?.terminal;
    if (terminal === undefined || terminal.frameOpen) return;
    const isSeen = this.#rows[top + this.#left] === this.#textOf(terminal.readRow(top));
    const wasFull = this.#revision !== null && this.#rows[bottom] !== '';
    this.#left += count;
    if (isSeen && wasFull && this.#left <= (bottom + 1 - top) / 2) return;
    this.#left = count;
    if (this.#looksLeft < 1) return;
    this.#looksLeft--;
    if (terminal.screenText().every((row) => row === '')) return;
    // What the rest of this feed changes has the same revision.
    this.#look(this.#fedEnd, terminal.revision - 1);
  }

  look(): void {
    const revision = this.#terminal?.terminal.revision ?? 0;
    this.#look(this.#offset, revision);
    this.#left = 0;
  }

  /**
   * @param offset of the output that led to what is shown
   * @param revision after which rows have changed at the next look
   */
  #look(offset: number, revision: number): void {
    const terminal = this.#terminal?.terminal;
    if (terminal === undefined || terminal.frameOpen) return;
    const { alternate, size } = terminal;
    if (alternate && !this.#wasAlternate) this.#transcript.begin(false);
    this.#wasAlternate = alternate;
    if (!alternate) {
      this.#revision = null;
      return;
    }
    const changed =
      this.#revision === null
        ? Array.from({ length: size.rows }, (_, row) => row)
        : terminal.changedRows(this.#revision);
    this.#revision = revision;
    if (changed.length === 0) return;
    this.#rows.length = size.rows;
    this.#columns.length = size.rows;
    for (const row of changed) this.#columns[row] = columnsOf(terminal.readRow(row));
    const side = sideColumn(this.#columns, size.cols, this.#side);
    const isSame = side === this.#side;
    this.#side = side;
    const drawn = isSame ? changed : this.#rows.keys();
    for (const row of drawn) {
      this.#rows[row] = this.#textOf(terminal.readRow(row));
    }
    this.#transcript.show(this.#rows, offset);
  }

  /** Returns the text of a row without what is beside it. */
  #textOf(row: RowReader): string {
    return row.spaced(0, this.#side ?? undefined).trimEnd();
  }
}

/** Characters that may be wide. */
const mayBeWide = /[\u1100-\u115f\u231a-\u23ff\u25fd-\u27ff\u2b1b-\uffff]/;

/** Returns a string with one UTF-16 code unit for each column of a row: a blank where the row has nothing. */
function columnsOf(reader: RowReader): string {
  const text = reader.spaced();
  if (!mayBeWide.test(text)) return text;
  // The second column of a wide character is empty.
  return reader
    .cells()
    .map((cell) => (cell.text === ' ' ? ' ' : 'x'))
    .join('');
}

/** The least number of rows of a side bar that begin in its first column. */
const minSideRows = 3;

/**
 * Returns the column in which a side bar begins that stays while the text beside it moves: right of two columns that are
 * blank in all rows. Null if there is none.
 *
 * @param before the column of the screen before
 */
function sideColumn(rows: readonly string[], cols: number, before: number | null): number | null {
  const used = new Uint16Array(cols + 1);
  const begun = new Uint16Array(cols + 1);
  for (const row of rows) {
    for (let col = 0; col < row.length; col++) {
      if (row[col] === ' ') continue;
      used[col] = (used[col] ?? 0) + 1;
      if (row[col - 1] === ' ' && row[col - 2] === ' ') begun[col] = (begun[col] ?? 0) + 1;
    }
  }
  const isSide = (col: number) =>
    used[col - 1] === 0 && used[col - 2] === 0 && (begun[col] as number) >= minSideRows;
  if (before !== null && isSide(before)) return before;
  let side: number | null = null;
  for (let col = Math.ceil(cols / 2); col < cols; col++) {
    if (isSide(col) && (side === null || (begun[col] as number) > (begun[side] as number)))
      side = col;
  }
  return side;
}
