import type { TerminalState } from '../terminal-state.ts';

/** @param bel whether BEL ended the command, and not ST: answers end alike */
export type OscRun = (t: TerminalState, text: string, bel: boolean) => void;

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
