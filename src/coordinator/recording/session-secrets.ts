import {
  literalRule,
  matcherRule,
  type SecretRule,
  secretValues,
  tokenRule,
  type Variables,
} from '#recording';
import type { Session } from '#session';
import { Pattern } from '#watch';
import type { Registered } from '../registry.ts';

export interface RedactionOptions {
  /** Whether secrets are replaced in recordings. Default: true. */
  readonly redact?: boolean;
  /** Whether they are replaced in what readers get, unless they request otherwise. Default: false. */
  readonly reads?: boolean;
  /** RE2 patterns; what they match is a secret. */
  readonly patterns?: readonly string[];
}

/** Finds the secrets of sessions: the values of variables whose names look like secrets, and patterns. */
export class SessionSecrets {
  readonly #isOn: boolean;
  readonly #patterns: readonly SecretRule[];
  readonly #own: readonly string[];

  /**
   * @param environment of this process
   * @throws VtrError INVALID_PATTERN
   */
  constructor({ redact = true, patterns = [] }: RedactionOptions, environment: Variables) {
    this.#isOn = redact;
    this.#own = secretValues(environment);
    this.#patterns = patterns.map((source) => {
      const pattern = new Pattern(source);
      return matcherRule({
        matches: (text) =>
          pattern.findAll(text).map(({ start, end }) => ({ from: start, to: end })),
      });
    });
  }

  /** The rules for recordings of a session; none if nothing is to be replaced. */
  rulesOf(session: Session): readonly SecretRule[] {
    return this.#isOn ? this.readingRulesOf(session) : [];
  }

  /** The rules for reading a session, also for what is known of one that is not restored yet. */
  readingRulesOf({ facts, secrets }: Pick<Registered, 'facts' | 'secrets'>): readonly SecretRule[] {
    // In all marks of a shell that an earlier version of vtr started.
    const proof = facts.shell !== undefined && 'nonce' in facts.shell ? [facts.shell.nonce] : [];
    return [tokenRule, literalRule([...this.#own, ...secrets, ...proof]), ...this.#patterns];
  }
}
