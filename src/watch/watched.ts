import type { Disposable, Listener } from '#base';
import type {
  Cell,
  CommandRecord,
  ExitStatus,
  KeyModes,
  LineFinder,
  LineScan,
  OutputBurst,
  OutputPosition,
  SentInput,
  SessionEvent,
  ShellIntegration,
  TypedLine,
} from '#model';

/** A line that the last output printed on, and the part that it printed. */
export interface Printed {
  /** The line number; null on the alternate screen. */
  readonly line: number | null;
  readonly text: string;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut: boolean;
  /** The printed part is `text.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  /** The row of the alternate screen; null for a line. */
  readonly row: number | null;
}

/** A rendering of rows and lines. */
export type TextFormat = 'text' | 'ansi';

/** A rendering of lines; `spaced` is text with spaces in place of tabs, as displayed. */
export type LineFormat = TextFormat | 'spaced';

export interface NumberedText {
  readonly line: number;
  readonly text: string;
}

/** Columns from `from` up to but not including `to`. Default: the whole line. */
export interface Columns {
  readonly from?: number;
  readonly to?: number;
}

/** The terminal of a session, as readers see it. */
export interface ReadableTerminal {
  readonly revision: number;
  /** The revision of the shown screen: older than `revision` while the program draws a frame. */
  readonly shownRevision: number;
  /** The oldest line kept. */
  readonly firstLine: number;
  /** The line of the topmost row of the primary screen. */
  readonly topLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /** Whether the alternate screen is shown. */
  readonly alternate: boolean;
  readonly keyModes: Pick<KeyModes, 'bracketedPaste' | 'applicationCursorKeys'>;
  readonly size: { readonly cols: number };
  /** The cursor of the shown screen; counted from 0. */
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean };
  /** Returns the size of the text of lines in bytes of UTF-8, with a line feed for each. */
  textBytes(from: number, to: number): number;
  /** Returns the rows of the shown screen that changed after a revision. */
  changedRows(revision: number): readonly number[];
  /**
   * Returns the topmost line that was printed on after a revision although the cursor had been
   * below it.
   */
  rewrittenFrom(revision: number): number;
  /**
   * Returns the top line of the primary screen when it was first erased after a revision; else
   * Infinity.
   */
  clearedFrom(revision: number): number;
  /** Returns whether a line of the primary screen was printed on after a revision. */
  printedAfter(line: number, revision: number): boolean;
  /**
   * Returns the line in which output continues, the column of the cursor, and the text left of it.
   * While the alternate screen is shown, the cursor is that from before it was shown.
   */
  linePosition(): { readonly line: number; readonly col: number; readonly before: string };
}

/** Lines of a terminal as text. */
export interface LineSource {
  readonly terminal: Pick<ReadableTerminal, 'firstLine' | 'endLine' | 'revision' | 'textBytes'> & {
    /**
     * Scans the lines from `from` up to but not including `to`, up to the first that may match, for
     * at most a fraction of a millisecond.
     */
    scanLines(from: number, to: number, find: LineFinder): LineScan;
  };
  /** Returns the lines from `from` up to but not including `to` that are kept. */
  lineTexts(from: number, to: number, format?: LineFormat): Iterable<NumberedText>;
  /** Returns a part of a line; empty if the line is not kept. */
  linePart(line: number, columns: Columns, format?: LineFormat): string;
  /** Returns the column after the first `length` UTF-16 code units of a line's {@link writtenText}. */
  colAfter(line: number, length: number): number;
  /**
   * Returns a line as it was written, with spaces in place of tabs; undefined if it is not kept. It is
   * compared with a mark and not shown: secrets are not replaced in it.
   */
  writtenText(line: number): string | undefined;
  /**
   * Returns by how many bytes the texts of lines that were read are longer than `textBytes` says, because
   * secrets were replaced. Absent if none are.
   */
  grownBytes?(from: number, to: number): number;
}

/** Lines that are part of a command's output. */
export interface OutputPart {
  readonly lines: LineSource;
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  /** The first column of the first line that belongs to the output. */
  readonly fromCol: number;
  /** One past the last column of the last line that belongs to the output. */
  readonly toCol: number;
  /**
   * Add this to a line to get its number in the session; null if the session no longer has these
   * lines.
   */
  readonly shift: () => number | null;
}

/** The output of commands, kept when the lines are cleared or written over. */
export interface ReadableOutputs {
  lines(command: CommandRecord): {
    readonly parts: readonly OutputPart[];
    /** The lines that are no longer kept, as far as known. */
    readonly lostLines: number;
    /** Whether output is no longer kept because the screen was cleared or written over. */
    readonly cleared: boolean;
    /** Whether the output is empty or its last line has no line end. */
    readonly openEnd: boolean;
    /** Rows that the ended command left on the alternate screen. Absent: 0. */
    readonly screenRows?: number;
  };
  /** Returns the raw output, as far as it is kept. */
  bytes(command: CommandRecord): {
    readonly bytes: Uint8Array;
    /** Absolute offset of the first byte. */
    readonly offset: number;
    /** Bytes before them that are no longer kept. */
    readonly lostBytes: number;
  };
}

/** A row of the alternate screen, or a line of the primary one. */
export interface ShownRow {
  /** What moves with the row when the screen scrolls: the number of a line, else that of the row's cells. */
  readonly id: number;
  readonly text: string;
}

/** What a screen showed at a revision. Secrets are not replaced in it: it is compared and not shown. */
export interface ShownRows {
  readonly rows: readonly ShownRow[];
  readonly alternate: boolean;
  readonly revision: number;
}

/** The readable state of a session. */
export interface Readable extends LineSource {
  readonly id: string;
  readonly terminal: ReadableTerminal & LineSource['terminal'];
  /** The oldest line that can be read, also of those that the terminal has dropped. */
  readonly oldestLine: number;
  /** All lines that can be read. */
  readonly all: LineSource;
  /** The absolute offset of the next byte of output. */
  readonly outputEnd: number;
  /** The line in which the output begins: those before it are of a session that this one continues. */
  readonly startLine: number;
  /** The session has erased the lines before this one that are no longer kept. */
  readonly erasedTo: number;
  /** Returns the rows of the shown screen without trailing blanks. */
  screenRows(format?: TextFormat): readonly string[];
  /** Returns what is shown. @param fromLine the first line, on the primary screen; default: its top line */
  shownRows(fromLine?: number): ShownRows;
  /** Keeps what is shown, for {@link shownAt}, if the program redraws its screen. A few are kept. */
  keepShown(): void;
  /** Returns what was shown at a revision; undefined if it was not kept. */
  shownAt(revision: number): ShownRows | undefined;
  /** Returns the raw output from an offset on, as far as it is at hand. */
  rawOutput(from: number): Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
}

/** The commands of a session's shell; see the ledger in `shell`. */
export interface WatchedCommands {
  readonly integration: ShellIntegration;
  /** What marks without the nonce say, which decides nothing alone; null if there are none. */
  readonly unverified: {
    readonly prompt: OutputPosition | null;
    readonly running: CommandRecord | null;
    endedAfter(offset: number): CommandRecord | null;
  } | null;
  /** Whether the shell is expected to send marks and has not sent any yet. */
  readonly starting: boolean;
  /** The end of the prompt that is shown; null if none is. */
  readonly prompt: OutputPosition | null;
  /** Whether the shell shows a continuation prompt. */
  readonly continues: boolean;
  readonly running: CommandRecord | null;
  /** The end of the prompt at which a line is being typed; null if there is none. */
  readonly typing: OutputPosition | null;
  /** Returns the lines that were typed and whose commands began at this offset or after it. */
  typedAfter(offset: number): readonly TypedLine[];
  /** Returns the first command that ended at this offset of the output or after it. */
  endedAfter(offset: number): CommandRecord | null;
}

/** The text left of the cursor in its line. */
export interface LineAtCursor {
  /** The part that the program wrote: a prompt, a question, unfinished output. */
  readonly text: string;
  /** The part that was typed behind it. */
  readonly typed: string;
}

/** A session as an observer sees it. While an event is delivered, the state is that of the event. */
export interface Watched extends Readable {
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  readonly commands: WatchedCommands;
  /** The {@link Readable.outputEnd} when input was last accepted; 0 if none was. */
  readonly lastInputAt: number;
  /** When output last arrived, in ms since 1970; null if none did. */
  readonly lastOutputAtMs: number | null;
  /** The last bursts of output since the last input, at most four, oldest first. */
  readonly bursts: readonly OutputBurst[];
  /** How often input was accepted. */
  readonly inputCount: number;
  /** The last inputs, oldest first. */
  readonly inputs: readonly SentInput[];
  /** Returns the cells of a row of the shown screen. */
  rowCells(row: number): readonly Cell[];
  /** Returns the text left of the cursor in its row of the shown screen. */
  textBeforeCursor(): string;
  /** Whether the cursor is where marks without the nonce say that a prompt ends. */
  isAtUnverifiedPrompt(): boolean;
  /** Returns the text left of the cursor in its line, in two parts. */
  lineAtCursor(): LineAtCursor;
  /** Returns the lines that the last output printed on. */
  printedText(): Iterable<Printed>;
  /** Whether the program is more than a line editor: it has asked for what only full-screen programs need. */
  keepsEnterApart(): boolean;
  /** Returns a number that differs if the screen looks different. */
  fingerprint(): number;
  /** Returns a number for each row of the screen that differs if the row looks different. */
  rowFingerprints(): Int32Array;
  /** The bytes of output are valid until the listener returns. */
  onEvent(listener: Listener<SessionEvent>): Disposable;
}
