import type { Cell } from './cell.ts';
import { VtrError } from './errors.ts';
import type { RenderFormat } from './screen.ts';

export interface ReadLinesRequest {
  /** First line number wanted; the oldest kept when absent. */
  readonly from?: number;
  /** Line number to stop before; the end when absent. */
  readonly to?: number;
  /** `text` when absent. */
  readonly format?: RenderFormat;
}

/** A logical line: what the program wrote between two line ends, however many rows it takes. */
export interface Line {
  /** Absolute, counted from the first line ever, never reused. */
  readonly number: number;
  /** Text, or text with SGR sequences, by the format that was asked for; empty for `cells`. */
  readonly text: string;
  /** Given for the format `cells` only. */
  readonly cells?: readonly Cell[];
}

export interface LinesRead {
  readonly revision: number;
  /** The oldest line that is still kept. */
  readonly firstLine: number;
  /** Line number of the topmost row of the primary screen; lines before it are scrollback. */
  readonly topLine: number;
  /** One past the last line. */
  readonly endLine: number;
  /** How many of the lines asked for had been dropped already. */
  readonly dropped: number;
  readonly lines: readonly Line[];
}

/** Of scrollback, in one session. */
export const maxScrollbackLines = 1_000_000;

/** @throws VtrError INVALID_ARGUMENT */
export function checkScrollbackLines(lines: number): number {
  if (Number.isInteger(lines) && lines >= 0 && lines <= maxScrollbackLines) return lines;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `scrollbackLines is ${lines}; give a whole number from 0 to ${maxScrollbackLines}`,
  );
}

/** Of untouched output that is kept, in one session. */
export const minRawBytes = 4096;
export const maxRawBytes = 64 * 1024 * 1024;

/** @throws VtrError INVALID_ARGUMENT */
export function checkRawBytes(bytes: number): number {
  if (Number.isInteger(bytes) && bytes >= minRawBytes && bytes <= maxRawBytes) return bytes;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `rawBytes is ${bytes}; give a whole number from ${minRawBytes} to ${maxRawBytes}`,
  );
}

/** @throws VtrError INVALID_ARGUMENT when the line is no whole number from 0 on. */
export function checkLine(name: string, line: number): number {
  if (Number.isSafeInteger(line) && line >= 0) return line;
  throw new VtrError('INVALID_ARGUMENT', `${name} is ${line}; line numbers are 0, 1, 2 and so on`);
}
