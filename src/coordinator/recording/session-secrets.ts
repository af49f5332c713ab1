import {
  literalRule,
  matcherRule,
  type SecretRule,
  secretValues,
  tokenRule,
  tokenRuleThat,
  type Variables,
} from '#recording';
import type { KnownSecrets, Session } from '#session';
import { Pattern } from '#watch';
import type { SecretsOfText } from '../redacting/redactions.ts';
import { SeenSecrets } from '../redacting/seen-secrets.ts';
import type { Registered } from '../registry.ts';

export interface RedactionOptions {
  /** Whether secrets are replaced in recordings. Default: true. */
  readonly redact?: boolean;
  /** Whether they are replaced in what readers get, unless they request otherwise. Default: false. */
  readonly reads?: boolean;
  /** RE2 patterns; what they match is a secret. */
  readonly patterns?: readonly string[];
}

interface Known {
  /** Learns what it finds. */
  readonly tokens: SecretRule;
  readonly literals: SecretRule;
}

/**
 * Finds the secrets of sessions: tokens, the values of variables whose names look like secrets, patterns, and
 * what the session has learned.
 */
export class SessionSecrets {
  readonly #isOn: boolean;
  readonly #patterns: readonly SecretRule[];
  readonly #own: readonly string[];
  readonly #known = new WeakMap<KnownSecrets, Known>();
  readonly #seen = new WeakMap<Session, SeenSecrets>();
  readonly #learnsAlways: boolean;

  /**
   * @param environment of this process
   * @throws VtrError INVALID_PATTERN
   */
  constructor(
    { redact = true, reads = false, patterns = [] }: RedactionOptions,
    environment: Variables,
  ) {
    this.#isOn = redact;
    this.#learnsAlways = reads;
    this.#own = secretValues(environment);
    this.#patterns = patterns.map((source) => {
      const pattern = new Pattern(source);
      return matcherRule({
        matches: (text) =>
          pattern.findAll(text).map(({ start, end }) => ({ from: start, to: end })),
      });
    });
  }

  /** Must be called for each session: what is read of it may be redacted later. */
  begin(session: Session): void {
    if (this.#learnsAlways) this.learn(session);
  }

  /** Learns the secrets that the output has shown until now. */
  learn(session: Session): void {
    const seen = this.#seen.get(session) ?? new SeenSecrets(session);
    this.#seen.set(session, seen);
    seen.search();
  }

  /** The rules for recordings of a session; none if nothing is to be replaced. */
  rulesOf(session: Session): readonly SecretRule[] {
    return this.#isOn ? this.readingRulesOf(session) : [];
  }

  /** The rules for reading a session, also for what is known of one that is not restored yet. */
  readingRulesOf(session: WithSecrets): readonly SecretRule[] {
    const { tokens, literals } = this.#of(session);
    return [tokens, literals, ...this.#patterns];
  }

  /** The rules for text that belongs to no session, but can contain secrets of these. */
  textRules(
    sessions: readonly WithSecrets[],
    variables: readonly Variables[],
    which: SecretsOfText,
  ): readonly SecretRule[] {
    const known = sessions.flatMap(({ secrets }) => [...secrets]);
    const literals = literalRule([...this.#own, ...variables.flatMap(secretValues), ...known]);
    return which === 'known' ? [literals] : [tokenRule, literals, ...this.#patterns];
  }

  #of({ facts, secrets }: WithSecrets): Known {
    const found = this.#known.get(secrets);
    if (found !== undefined) return found;
    // In all marks of a shell that an earlier version of vtr started.
    const proof = facts.shell !== undefined && 'nonce' in facts.shell ? [facts.shell.nonce] : [];
    const known = {
      tokens: tokenRuleThat((value) => secrets.seen(value)),
      literals: growingRule(secrets, [...this.#own, ...proof]),
    };
    this.#known.set(secrets, known);
    return known;
  }
}

type WithSecrets = Pick<Registered, 'facts' | 'secrets'>;

/** Returns a rule for what is known at the time of each search. */
function growingRule(secrets: KnownSecrets, others: readonly string[]): SecretRule {
  let version = secrets.version;
  let rule = literalRule([...others, ...secrets]);
  const current = (): SecretRule => {
    if (version !== secrets.version) {
      version = secrets.version;
      rule = literalRule([...others, ...secrets]);
    }
    return rule;
  };
  return {
    find: (text) => current().find(text),
    open: (text) => current().open(text),
    begun: (text) => current().begun?.(text) ?? -1,
    ended: (text) => current().ended?.(text) ?? 0,
    get words() {
      return current().words ?? [];
    },
  };
}
