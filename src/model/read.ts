import { quoted } from '#base';
import { VtrError } from './errors.ts';
import type { OutputPosition } from './events.ts';
import type { TimeRef } from './time-ref.ts';

/**
 * A position in the output of a session. The reader keeps it, so readers do not affect each other.
 * The value is opaque. It is valid while the session exists, also after a resize and after lines
 * are dropped.
 */
export type ReadMark = string;

/** The mark of the beginning of every session. */
export const startMark: ReadMark = 'start';

/** Which part of the text to return if not all of it fits. */
export type KeptPart = 'head' | 'tail' | 'both';

/** Limits of the returned text. If several are set, all apply. */
export interface ReadBudget {
  /** Lines, 0 or more. */
  readonly maxLines?: number;
  /** Bytes of UTF-8, 0 or more. */
  readonly maxBytes?: number;
  /** Tokens of a language model, 0 or more, as estimated by {@link estimatedTokens}. */
  readonly maxTokens?: number;
  /** Default: `tail`. */
  readonly keep?: KeptPart;
}

/** Text within a budget: lines separated by line feeds, without a final line feed. */
export interface Excerpt {
  /** The beginning; empty for `keep: 'tail'`, and if nothing was omitted. */
  readonly head: string;
  /** The end; all of the text if nothing was omitted. */
  readonly tail: string;
  /** The part between the two; null if nothing was omitted. */
  readonly omitted: Omitted | null;
  /** Estimated tokens of `head` and `tail`. */
  readonly tokens: number;
}

export interface Omitted {
  /** Lines omitted in whole or in part. */
  readonly lines: number;
  /** Bytes of UTF-8 in their text without styles, line feeds included. */
  readonly bytes: number;
  /** The number of the first omitted line; null if the lines have no numbers. */
  readonly fromLine: number | null;
  /** One past the last omitted line; null if the lines have no numbers. */
  readonly toLine: number | null;
}

/** A rendering of lines (`text`, or `ansi` with SGR sequences), or the raw output. */
export type OutputFormat = 'text' | 'ansi' | 'raw';

export interface ReadRequest extends ReadBudget, RedactRequest {
  /**
   * Returns the output up to then, as it was displayed, from the beginning of the recording on. Cannot be
   * used with `since`, nor with the format `raw`. Default: up to now.
   */
  readonly at?: TimeRef;
  /** Returns the output after this mark. Default: all output kept. */
  readonly since?: ReadMark;
  /**
   * With `since`, leaves out the lines of text from this position on, such as the prompt after the end of a command.
   * Default: nothing is left out.
   */
  readonly until?: OutputPosition;
  /**
   * Default: `text`. About the last MiB of `raw` output is kept, or `SpawnRequest.rawBytes`.
   * `raw` uses only `maxBytes` of the budget, and only a `keep` of `head` or `tail`.
   */
  readonly format?: OutputFormat;
  /** Sets {@link ReadResult.hidden}. */
  readonly tellHidden?: boolean;
  /**
   * While the alternate screen is shown, returns its transcript: the rows that the program has shown there, in order and
   * without repeats, as far back as the session is recorded in memory. With `since`, those that were not shown before.
   * Only as text. On the primary screen it has no effect. Default: false.
   */
  readonly transcript?: boolean;
  /** With `transcript`, leaves out the rows that the screen shows. Default: false. */
  readonly aboveScreen?: boolean;
}

export interface ReadResult extends Redacted {
  /**
   * The kind of the result. `unchanged`: nothing has changed since the mark. `lines`: lines of the
   * scrollback and of the primary screen. `screen`: unread lines of these, if any, then the whole
   * alternate screen, which has changed. `transcript`: the transcript of the alternate screen, if it was requested.
   * `raw`: raw output.
   */
  readonly kind: 'unchanged' | 'lines' | 'screen' | 'transcript' | 'raw';
  /** Empty for `unchanged` and `raw`. */
  readonly text: Excerpt;
  /** Set for `raw` only. */
  readonly raw?: RawOutput;
  /** Output after the mark, or from the first line on, that the text lacks because it left the scrollback. */
  readonly gap: ReadGap;
  /** The first requested line that is kept; null for `raw`, and for `screen` without lines. */
  readonly fromLine: number | null;
  /**
   * Whether the lines in `text` contain invisible text: concealed, or in the colour of its background. Set if
   * it was requested and `fromLine` is; rows of the alternate screen are not checked.
   */
  readonly hidden?: boolean;
  /**
   * Set for `transcript`: the lines of the requested text, from 0, before which rows may be missing, or after which rows
   * may repeat others, because the screen changed as a whole. Lines that the budget omits count.
   */
  readonly uncertain?: readonly number[];
  /** A mark from which the next read continues. */
  readonly mark: ReadMark;
  readonly revision: number;
  /** When this state came about, in ms since 1970. Set if a time was requested. */
  readonly atMs?: number;
}

export interface RawOutput {
  readonly bytes: Uint8Array;
  /** The absolute offset of the first byte in the output. */
  readonly offset: number;
  /** Bytes after the mark that were omitted because of the budget. */
  readonly omittedBytes: number;
}

export interface ReadGap {
  /** Lines that are no longer kept. */
  readonly lines: number;
  /** Lines that have left the scrollback and are not in the text, but can be read by their numbers. Absent: 0. */
  readonly earlier?: number;
  /** Rows that an ended command left on the alternate screen, which is not part of its lines. Absent: 0. */
  readonly rows?: number;
  /** Lines of the text that could not be read, because their archive is damaged: they are empty there. Absent: 0. */
  readonly unreadable?: number;
  /** For `raw`: bytes dropped. */
  readonly bytes: number;
  /**
   * True if `lines` are the output of a command that was cleared or written over and is no longer
   * kept. Their number may be too low.
   */
  readonly cleared?: boolean;
}

/** ASCII text has about four bytes per token, text of other scripts about one character per token. */
const bytesPerToken = 4;

/** Estimates tokens: one per four ASCII characters, one per other character. */
export function estimatedTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (const character of text) {
    if (character < '\u0080') ascii++;
    else others++;
  }
  return Math.ceil(ascii / bytesPerToken) + others;
}

/** Checks a budget at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkBudget(budget: ReadBudget): ReadBudget {
  for (const name of ['maxLines', 'maxBytes', 'maxTokens'] as const) {
    const value = budget[name];
    if (value === undefined || value === Number.POSITIVE_INFINITY) continue;
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${name} is ${value}; give a whole number of at least 0`,
    );
  }
  const { keep = 'tail' } = budget;
  if (['head', 'tail', 'both'].includes(keep)) return budget;
  throw new VtrError('INVALID_ARGUMENT', `keep is ${quoted(keep)}; give head, tail or both`);
}

/**
 * Checks a format at run time, for callers without types.
 *
 * @param formats the valid formats
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkOutputFormat<Format extends OutputFormat>(
  format: Format,
  formats: readonly Format[],
): Format {
  if (formats.includes(format)) return format;
  const names = `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  throw new VtrError('INVALID_ARGUMENT', `format is ${quoted(format)}; give ${names}`);
}

export const outputFormats = ['text', 'ansi', 'raw'] as const satisfies readonly OutputFormat[];

/** Whether the answer of a call is to show secrets. */
export interface RedactRequest {
  /**
   * Replaces known secrets in the answer: values of variables whose names look like secrets, and the usual
   * forms of keys and tokens. Each cell of one is a `•`. Default: as the coordinator is configured.
   */
  readonly redact?: boolean;
}

/** An answer in which secrets may have been replaced. */
export interface Redacted {
  /**
   * The number of secrets that were replaced in the answer, without those in the line of a command whose
   * output it is. Absent if that was not requested.
   */
  readonly redacted?: number;
}
