import type { EndedBy } from '#model';
import type { TerminalExit, TerminalOutput } from './agent-terminal.ts';

/** The protocol's `TerminalExitStatus`, and the result of `terminal/wait_for_exit`. */
export interface ExitAnswer {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The limit by which vtr ended the program, if it did. */
  readonly _meta?: { readonly vtr: { readonly endedBy: EndedBy } };
}

/** The result of `terminal/output`. */
export interface OutputAnswer {
  readonly output: string;
  readonly truncated: boolean;
  /** Absent while the program runs. */
  readonly exitStatus?: ExitAnswer;
}

export function exitAnswer({ status, endedBy }: TerminalExit): ExitAnswer {
  const { code: exitCode, signal } = status;
  return { exitCode, signal, ...(endedBy === null ? {} : { _meta: { vtr: { endedBy } } }) };
}

export function outputAnswer({ text, truncated, exit }: TerminalOutput): OutputAnswer {
  return { output: text, truncated, ...(exit === null ? {} : { exitStatus: exitAnswer(exit) }) };
}
