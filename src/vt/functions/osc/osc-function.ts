import type { TerminalState } from '../../state/terminal-state.ts';

/** The form of a received command. */
export interface OscContext {
  /** Whether BEL ended the command, rather than ST. A reply ends the same way. */
  readonly bel: boolean;
  /** Absolute offset of its first byte. */
  readonly offset: number;
}

export type OscRun = (t: TerminalState, text: string, context: OscContext) => void;

/** An operating system command, identified by its number. */
export interface OscFunction {
  readonly number: number;
  readonly meaning: string;
  /** Absent if the command is known but not supported. */
  readonly run?: OscRun;
}

export function osc(number: number, meaning: string, run?: OscRun): OscFunction {
  return run === undefined ? { number, meaning } : { number, meaning, run };
}
