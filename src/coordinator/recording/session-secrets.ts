import { readFileSync } from 'node:fs';
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
  /** The values that sessions were started with, by id. */
  readonly #given = new Map<string, readonly string[]>();

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

  /** Notes the variables that a session was started with. */
  started(id: string, variables: Variables | undefined): void {
    const values = secretValues(variables ?? {});
    if (values.length > 0) this.#given.set(id, values);
  }

  /**
   * Notes the variables of a program that another coordinator started. Must be called while it runs: the
   * system forgets them with it, and its output stays.
   */
  restored({ id, facts }: Session): void {
    this.#given.set(id, inheritedBy(facts.pid));
  }

  removed(id: string): void {
    this.#given.delete(id);
  }

  /** The rules for recordings of a session; none if nothing is to be replaced. */
  rulesOf(session: Session): readonly SecretRule[] {
    return this.#isOn ? this.readingRulesOf(session) : [];
  }

  /** The rules for reading a session; null: for what is known of one that is not restored yet. */
  readingRulesOf(session: Session | null): readonly SecretRule[] {
    if (session === null) return [tokenRule, literalRule(this.#own), ...this.#patterns];
    const { id, facts } = session;
    const given = this.#given.get(id) ?? [];
    // In all marks of a shell that an earlier version of vtr started.
    const proof = facts.shell !== undefined && 'nonce' in facts.shell ? [facts.shell.nonce] : [];
    return [tokenRule, literalRule([...this.#own, ...given, ...proof]), ...this.#patterns];
  }
}

/** The values that a program was started with by another coordinator; only Linux has them. */
function inheritedBy(pid: number | null): string[] {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return secretValues(Object.fromEntries(variables.map((each) => splitAt(each))));
  } catch {
    return [];
  }
}

function splitAt(variable: string): [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, at), variable.slice(at + 1)];
}
