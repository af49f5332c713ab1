import type { TerminalState } from '../../state/terminal-state.ts';

/** How a command was written. */
export interface OscContext {
  /** Whether BEL ended it, and not ST: answers end alike. */
  readonly bel: boolean;
  /** Absolute offset of its first byte. */
  readonly offset: number;
}

export type OscRun = (t: TerminalState, text: string, context: OscContext) => void;

/** An operating system command, by the number that leads it. */
export interface OscFunction {
  readonly number: number;
  readonly meaning: string;
  /** Absent for what is known and not supported. */
  readonly run?: OscRun;
}

export function osc(number: number, meaning: string, run?: OscRun): OscFunction {
  return run === undefined ? { number, meaning } : { number, meaning, run };
}
