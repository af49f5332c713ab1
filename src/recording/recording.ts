import type { Size } from '#model';

/** The versions of asciicast that are read and written (docs.asciinema.org/manual/asciicast). */
export type CastVersion = 2 | 3;

/** Colours as 0xRRGGBB. */
export interface CastTheme {
  readonly foreground: number;
  readonly background: number;
  /** The first 8 or 16 entries. */
  readonly palette: readonly number[];
}

export interface RecordingHeader {
  /** At the beginning. */
  readonly size: Size;
  /** In ms since 1970. */
  readonly startedAtMs?: number;
  readonly title?: string;
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Players shorten pauses to this time, in ms. */
  readonly idleLimitMs?: number;
  readonly theme?: CastTheme;
  /** The TERM of the terminal. Version 3 only; version 2 has it in `env`. */
  readonly termType?: string;
  /** The name and the version of the terminal, as it answers XTVERSION. Version 3 only. */
  readonly termVersion?: string;
  /** Version 3 only. */
  readonly tags?: readonly string[];
}

/** Properties of an event that players do not know, for vtr's own readers. */
export type RecordedNote = Readonly<Record<string, string | number | boolean | null>>;

/** An event of a recording, at a time that is never less than that of the event before. */
export type RecordedEvent = {
  /** Since the beginning, in ms, with a resolution of 1 ms in version 3 and of 1 µs in version 2. */
  readonly atMs: number;
} & (
  | {
      readonly type: 'output' | 'input';
      readonly text: string;
      /** Set if it draws a screen: the lines of that screen up to the cursor. Files do not have it. */
      readonly before?: string;
    }
  | { readonly type: 'resize'; readonly size: Size }
  | { readonly type: 'marker'; readonly label: string }
  /** The exit status of the program: 0 to 255. The last event. Version 3 only. */
  | { readonly type: 'exit'; readonly status: number }
  /** A comment. Version 3 only. */
  | { readonly type: 'note'; readonly note: RecordedNote }
  /** An event of a kind that is not known; it is kept. */
  | { readonly type: 'other'; readonly code: string; readonly data: string }
);

/** A line that is not an event. */
export interface InvalidLine {
  /** From 1 on. In version 1, the entry of "stdout", from 1 on. */
  readonly number: number;
  readonly reason: string;
}

export interface Recording {
  readonly version: CastVersion;
  readonly header: RecordingHeader;
  readonly events: readonly RecordedEvent[];
  /**
   * Set if the recording ends within a line, because its writer was killed: the bytes of that line,
   * which is left out.
   */
  readonly cutBytes?: number;
  /** Set if a line is not valid: it and all lines after it are left out. */
  readonly invalidLine?: InvalidLine;
}
