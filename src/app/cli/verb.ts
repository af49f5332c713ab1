import type { Flag, FlagValues } from './arguments/flags.ts';
import type { Context } from './context.ts';

/** A positional argument of a verb. */
export interface Argument {
  readonly about: string;
  readonly optional?: true;
  /** Takes all remaining words, at least one unless it is optional. */
  readonly many?: true;
  /** The source of shell completions. */
  readonly completes?: 'session' | 'file' | readonly string[];
}

export interface Example {
  readonly line: string;
  readonly about: string;
}

type Arguments = Readonly<Record<string, Argument>>;
type Flags = Readonly<Record<string, Flag<unknown>>>;

type ArgumentValue<A extends Argument> = A extends { many: true }
  ? readonly string[]
  : A extends { optional: true }
    ? string | undefined
    : string;

export interface Input<A extends Arguments, F extends Flags> {
  readonly args: { readonly [Name in keyof A]: ArgumentValue<A[Name]> };
  readonly flags: FlagValues<F>;
  /** The words after `--`; null without `--`. */
  readonly rest: readonly string[] | null;
}

/**
 * A verb of the command, as data. Help, completion, docs/commands.md and the list of required
 * end-to-end tests are generated from it.
 */
export interface Verb {
  /** One word, or two for a verb of a group (`config add`). */
  readonly name: string;
  /** A separate command, not a verb of `vtr`. */
  readonly isCommand?: true;
  /** One line that begins with an imperative verb, without a final period. */
  readonly summary: string;
  readonly args: Arguments;
  readonly flags: Flags;
  /** Flags of other verbs and programs that people try here, by name or letter, and what to use. */
  readonly otherFlags?: Readonly<Record<string, string>>;
  /** The placeholder of the words after `--`; absent if the verb accepts none. */
  readonly rest?: string;
  /** Those words are required. */
  readonly needsRest?: true;
  /** All words after the name are those of another command: they are the rest, without a `--`. */
  readonly ownWords?: true;
  /** The hint if those words are blank. */
  readonly blankRestHint?: string;
  /** Paragraphs of its help, and tables of two columns. */
  readonly details?: readonly (string | readonly (readonly [string, string])[])[];
  readonly examples: readonly Example[];
  /** @returns the exit status; undefined is 0. @throws VtrError */
  run(context: Context, input: Input<Arguments, Flags>): Promise<number | undefined>;
}

interface Definition<A extends Arguments, F extends Flags> extends Omit<Verb, 'run'> {
  readonly args: A;
  readonly flags: F;
  run(context: Context, input: Input<A, F>): Promise<number | undefined>;
}

/** Types the input of `run` from the declared arguments and flags. */
export function defineVerb<const A extends Arguments, const F extends Flags>(
  definition: Definition<A, F>,
): Verb {
  // The parser builds the input from the same declarations.
  return definition as unknown as Verb;
}
