import type { TerminalState } from '../state/terminal-state.ts';
import { type Choice, handled, type Operation } from './control-function.ts';

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
  /** What it does, if the beginning of its text selects that. */
  readonly operations?: readonly Operation[];
}

export function osc(number: number, meaning: string, run?: OscRun | Choice<OscRun>): OscFunction {
  return run === undefined ? { number, meaning } : { number, meaning, ...handled(run) };
}

/** A word and its `=`, or a word that a semicolon or the end of the text follows; then the rest. */
const firstWord = /^(?:([^;=]*=)|([^;=]*)(?:;|$))(.*)$/s;

/** Runs the operation that the first word of the text selects, with the rest of the text. */
export function byWord(operations: readonly Operation<OscRun>[]): Choice<OscRun> {
  const effects = new Map(operations.map(({ value, effect }) => [value, effect]));
  return {
    operations,
    run(t, text, context) {
      const [, named = '', word = named, rest = ''] = firstWord.exec(text) ?? [];
      effects.get(word)?.(t, rest, context);
    },
  };
}
