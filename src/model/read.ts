import { VtrError } from './errors.ts';

/**
 * A place in the output of a session, kept by whoever reads it: reading changes nothing for anybody
 * else. Opaque, good for as long as the session exists, whatever is resized or dropped meanwhile.
 */
export type ReadMark = string;

/** The beginning, of every session. */
export const startMark: ReadMark = 'start';

/** Which part of what there is to read is given, where not all fits. */
export type KeptPart = 'head' | 'tail' | 'both';

/** How much a reader wants at most. Where several limits are given, all hold. */
export interface ReadBudget {
  /** Lines, 0 and up. */
  readonly maxLines?: number;
  /** Bytes of UTF-8, 0 and up. */
  readonly maxBytes?: number;
  /** Tokens of a language model, 0 and up, as {@link estimatedTokens} counts them. */
  readonly maxTokens?: number;
  /** `tail` when absent. */
  readonly keep?: KeptPart;
}

/** Text within a budget: lines, parted by line feeds, without one at the end. */
export interface Excerpt {
  /** From the beginning; empty for `keep: 'tail'`, and where nothing was left out. */
  readonly head: string;
  /** Up to the end: all of it where nothing was left out. */
  readonly tail: string;
  /** What lies between the two; null where nothing was left out. */
  readonly omitted: Omitted | null;
  /** What `head` and `tail` may cost a language model; an estimate. */
  readonly tokens: number;
}

export interface Omitted {
  /** Whole lines, and lines that were cut. */
  readonly lines: number;
  /** Bytes of UTF-8, line feeds included. */
  readonly bytes: number;
  /** Line numbers of the first of them, and one past the last; null where they have none. */
  readonly fromLine: number | null;
  readonly toLine: number | null;
}

/** A rendering of lines, or the untouched output. */
export type OutputFormat = 'text' | 'ansi' | 'raw';

export interface ReadRequest extends ReadBudget {
  /** What came after it; all that is kept when absent. */
  readonly since?: ReadMark;
  /**
   * `text` when absent. `raw` is the untouched output; of it about the last MiB is kept, and of the
   * budget only `maxBytes` and `keep` of `head` or `tail` are looked at.
   */
  readonly format?: OutputFormat;
}

export interface ReadResult {
  /**
   * What was read: nothing, because nothing changed; lines of the scrollback and the primary screen;
   * the alternate screen, whole, because it changed; the untouched output.
   */
  readonly kind: 'unchanged' | 'lines' | 'screen' | 'raw';
  /** Empty for `unchanged` and `raw`. */
  readonly text: Excerpt;
  /** For `raw` only. */
  readonly raw?: RawOutput;
  /** What came after the mark and was dropped before it was read; zeros where nothing was. */
  readonly gap: ReadGap;
  /** Line number of the first line that was asked for and is kept; null for `screen` and `raw`. */
  readonly fromLine: number | null;
  /** Where the next read goes on. */
  readonly mark: ReadMark;
  readonly revision: number;
}

export interface RawOutput {
  readonly bytes: Uint8Array;
  /** Absolute offset of the first byte. */
  readonly offset: number;
  /** Bytes after the mark that were left out for the budget. */
  readonly omittedBytes: number;
}

export interface ReadGap {
  /** Lines that the limits of the scrollback dropped. */
  readonly lines: number;
  /** For `raw`: bytes. */
  readonly bytes: number;
}

/** Text of mostly ASCII has about so many bytes a token, of other scripts about one a token. */
const bytesPerToken = 4;

/** A rough count of tokens: bytes of ASCII by four, each other character as one. */
export function estimatedTokens(text: string): number {
  let ascii = 0;
  let others = 0;
  for (const character of text) {
    if (character < '\u0080') ascii++;
    else others++;
  }
  return Math.ceil(ascii / bytesPerToken) + others;
}

/** @throws VtrError INVALID_ARGUMENT for what came from a caller's program and is no budget. */
export function checkBudget(budget: ReadBudget): ReadBudget {
  for (const name of ['maxLines', 'maxBytes', 'maxTokens'] as const) {
    const value = budget[name];
    if (value === undefined || value === Number.POSITIVE_INFINITY) continue;
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new VtrError('INVALID_ARGUMENT', `${name} is ${value}; give a whole number from 0 on`);
  }
  const { keep = 'tail' } = budget;
  if (['head', 'tail', 'both'].includes(keep)) return budget;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `keep is ${JSON.stringify(keep)}; give head, tail or both`,
  );
}

/**
 * @param formats those that are given
 * @throws VtrError INVALID_ARGUMENT for what came from a caller's program and is none of them
 */
export function checkOutputFormat<Format extends OutputFormat>(
  format: Format,
  formats: readonly Format[],
): Format {
  if (formats.includes(format)) return format;
  const names = `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  throw new VtrError('INVALID_ARGUMENT', `format is ${JSON.stringify(format)}; give ${names}`);
}

export const readFormats = ['text', 'ansi', 'raw'] as const satisfies readonly OutputFormat[];
export const commandFormats = ['text', 'ansi'] as const satisfies readonly OutputFormat[];
