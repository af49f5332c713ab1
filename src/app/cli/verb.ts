import type { Flag, FlagValues } from './arguments/flags.ts';
import type { Context } from './context.ts';

/** A word after the verb that is no flag. */
export interface Argument {
  readonly about: string;
  /** May be left out. */
  readonly optional?: true;
  /** Takes all words that are left, at least one unless it is optional. */
  readonly many?: true;
  /** What the shell completes here. */
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
  /** The words after `--`; null where there was none. */
  readonly rest: readonly string[] | null;
}

/**
 * A verb of the command, as data: help, completion, the README's table and the list of what the
 * end-to-end tests have to show are made of it.
 */
export interface Verb {
  /** One word, or two where verbs form a group (`config add`). */
  readonly name: string;
  /** It is a command of its own, and no verb of `vtr`. */
  readonly isCommand?: true;
  /** What it does, in half a sentence without a full stop. */
  readonly summary: string;
  readonly args: Arguments;
  readonly flags: Flags;
  /** How the words after `--` are shown; a verb without it takes none. */
  readonly rest?: string;
  /** They have to be given. */
  readonly needsRest?: true;
  /** Paragraphs for its help. */
  readonly details?: readonly string[];
  readonly examples: readonly Example[];
  /** @returns the exit status, 0 when nothing is returned. @throws VtrError */
  run(context: Context, input: Input<Arguments, Flags>): Promise<number | undefined>;
}

interface Definition<A extends Arguments, F extends Flags> extends Omit<Verb, 'run'> {
  readonly args: A;
  readonly flags: F;
  run(context: Context, input: Input<A, F>): Promise<number | undefined>;
}

/** Lets `run` know the types of what the entry itself declares. */
export function defineVerb<const A extends Arguments, const F extends Flags>(
  definition: Definition<A, F>,
): Verb {
  // The parser fills the input by the same declarations.
  return definition as unknown as Verb;
}
