import { isSensitiveName } from '#model';

/** A part of a text: from `from` up to but not including `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds secrets in text without control sequences. */
export interface SecretRule {
  /** Returns the secrets in a text, which is one line or part of it. */
  find(text: string): Iterable<Span>;
  /** Returns where a secret begins that may continue after the end of the text; -1 if there is none. */
  open(text: string): number;
  /**
   * Returns where a secret begins of which the end of the text shows enough to tell; -1 if there is none.
   * Undefined if only a whole secret can be told.
   */
  begun?(text: string): number;
  /** Returns where a secret ends that began before the text; 0 if there is none that can be told. */
  ended?(text: string): number;
  /**
   * Words of at least three bytes in UTF-8, one of which is in each line with a secret. Undefined if
   * there are none: then recordings take several times as long.
   */
  readonly words?: readonly string[];
}

/** Finds the matches of a pattern of the user; only what it matches is a secret. */
export interface SecretMatcher {
  matches(text: string): Iterable<Span>;
}

/** Returns a rule for a pattern. It is matched within a line, and as soon as a word ends. */
export function matcherRule(matcher: SecretMatcher): SecretRule {
  return {
    find: (text) => matcher.matches(text),
    open(text) {
      // Backwards: a regular expression would look at each place of a long word again.
      let from = text.length;
      while (from > 0 && !/\s/.test(text.charAt(from - 1))) from--;
      return from === text.length ? -1 : from;
    },
  };
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables with such names whose values are not secrets: paths, and where agents of ssh and gpg listen. */
const harmless = /^(?:AWS_.*_FILE|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO)$/;

/** Returns the values of the variables of an environment whose names look like secrets. */
export const secretValues = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = value !== undefined && isSensitiveName(name) && !harmless.test(name);
    return isSecret ? [value] : [];
  });
