import { readFileSync } from 'node:fs';
import { literalRule, matcherRule, type SecretRule, tokenRule } from '#recording';
import { isSensitiveName, type Session } from '#session';
import { Pattern } from '#watch';

type Variables = Readonly<Record<string, string | undefined>>;

export interface RedactionOptions {
  /** Whether secrets are replaced in recordings. Default: true. */
  readonly redact?: boolean;
  /** RE2 patterns; what they match is a secret. */
  readonly patterns?: readonly string[];
}

/** Values that are no secrets, of variables that programs do not inherit. */
const harmless = /^AWS_(?:.*PROFILE|.*REGION|.*OUTPUT|PAGER|.*_FILE|CA_BUNDLE|SDK_.*|EC2_.*)$/;

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

  removed(id: string): void {
    this.#given.delete(id);
  }

  /** The rules for recordings of a session; none if nothing is to be replaced. */
  rulesOf(session: Session): readonly SecretRule[] {
    if (!this.#isOn) return [];
    const { id, facts } = session;
    const given = this.#given.get(id) ?? (session.restored === null ? [] : inheritedBy(facts.pid));
    // Who knows it can forge the marks of the shell.
    const proof = facts.shell !== undefined && 'nonce' in facts.shell ? [facts.shell.nonce] : [];
    return [tokenRule, literalRule([...this.#own, ...given, ...proof]), ...this.#patterns];
  }
}

const secretValues = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = value !== undefined && isSensitiveName(name) && !harmless.test(name);
    return isSecret ? [value] : [];
  });

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
