import type { Cell } from './screen.ts';

export type LineFormat = 'text' | 'ansi' | 'cells';

export interface ReadLinesRequest {
  /** First line number wanted; the oldest kept when absent. */
  readonly from?: number;
  /** Line number to stop before; the end when absent. */
  readonly to?: number;
  /** `text` when absent. */
  readonly format?: LineFormat;
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
