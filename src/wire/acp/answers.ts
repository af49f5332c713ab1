import type { EndedBy } from '#model';
import type { TerminalExit, TerminalOutput } from './terminal.ts';

/** The protocol's `TerminalExitStatus`, and what `terminal/wait_for_exit` answers. */
export interface ExitAnswer {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Where vtr itself ended the program: which limit it was. */
  readonly _meta?: { readonly vtr: { readonly endedBy: EndedBy } };
}

/** What `terminal/output` answers. */
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
