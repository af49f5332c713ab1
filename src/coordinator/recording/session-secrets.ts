import { decodeUtf8 } from '#base';
import {
  findInOutput,
  literalRule,
  matcherRule,
  type SecretRule,
  secretValues,
  tokenPlace,
  tokenRule,
  tokenRuleThat,
  type Variables,
} from '#recording';
import { KnownSecrets, type Session, type SessionView } from '#session';
import { Pattern } from '#watch';
import type { SecretsOfText } from '../redacting/redactions.ts';
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
  readonly #cache = new WeakMap<KnownSecrets, Known>();
  readonly #seenSecrets = new WeakMap<Session, SeenSecrets>();
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
    const seenSecrets = this.#seenSecrets.get(session) ?? new SeenSecrets(session);
    this.#seenSecrets.set(session, seenSecrets);
    seenSecrets.search();
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
    const values = sessions.flatMap(({ secrets }) => [...secrets]);
    const literals = literalRule([...this.#own, ...variables.flatMap(secretValues), ...values]);
    return which === 'known' ? [literals] : [tokenRule, literals, ...this.#patterns];
  }

  #of({ facts, secrets }: WithSecrets): Known {
    const entry = this.#cache.get(secrets);
    if (entry !== undefined) return entry;
    // In all marks of a shell that an earlier version of vtr started.
    const proof = facts.shell !== undefined && 'nonce' in facts.shell ? [facts.shell.nonce] : [];
    const rules = {
      tokens: tokenRuleThat((value) => secrets.learnShown(value)),
      literals: growingRule(secrets, [...this.#own, ...proof]),
    };
    this.#cache.set(secrets, rules);
    return rules;
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

/** Output that may wait for a search, in bytes: a quarter of what is at hand. */
const maxUnsearched = 64 * 1024;
/** Lines above the screen that are searched together. */
const sliceLines = 256;
/** A line that is longer is searched in parts, in bytes. */
const maxLine = 16 * 1024;

const lineFeed = 0x0a;
/** Ends a line, so that the rule knows that a secret at its end is whole. */
const lineEnd = '\r\n';

/**
 * Searches a session for secrets that its output shows, once each: the lines above the screen, the screen, and
 * the raw output at hand, which has what was erased. From the first search on, output is searched before it is
 * no longer at hand.
 */
export class SeenSecrets {
  readonly #view: SessionView;
  readonly #secrets: KnownSecrets;
  readonly #rule: SecretRule;
  #nextLine = 0;
  #nextOffset = 0;
  #revision = -1;

  constructor({ view, secrets }: Pick<Session, 'view' | 'secrets'>) {
    this.#view = view;
    this.#secrets = secrets;
    this.#rule = tokenRuleThat((value) => secrets.learnShown(value));
    view.onEvent(({ type }) => {
      if (type === 'output' && view.outputEnd - this.#nextOffset > maxUnsearched) {
        this.#searchOutput();
      }
    });
  }

  /** Searches what is new. */
  search(): void {
    const { terminal } = this.#view;
    if (terminal.revision === this.#revision) return;
    this.#revision = terminal.revision;
    this.#searchScrollback();
    if (terminal.alternate) this.#searchRows();
    else this.#searchScreen();
    this.#searchOutput();
  }

  /** Searches the newest lines first: of more secrets than are kept, the oldest are forgotten. */
  #searchScrollback(): void {
    const { terminal } = this.#view;
    const { topLine } = terminal;
    const first = Math.max(this.#nextLine, terminal.firstLine);
    const lists: string[][] = [];
    const distinct = new Set<string>();
    for (let to = topLine; to > first && !KnownSecrets.isFull(distinct); to -= sliceLines) {
      const values = this.#valuesIn(Math.max(first, to - sliceLines), to);
      lists.unshift(values);
      for (const value of values) distinct.add(value);
    }
    for (const value of lists.flat()) this.#secrets.learnShown(value);
    this.#nextLine = topLine;
  }

  #valuesIn(from: number, to: number): string[] {
    const { terminal } = this.#view;
    const values: string[] = [];
    const rule = tokenRuleThat((value) => values.push(value));
    for (let line = from; line < to; ) {
      const scan = terminal.scanLines(line, to, tokenPlace);
      if (!scan.mayMatch && scan.line <= line) break;
      line = scan.line;
      if (!scan.mayMatch || line >= to) continue;
      this.#find(this.#textsFrom(line, line + 1).join(''), rule);
      line++;
    }
    return values;
  }

  /** The line of the cursor may continue, unless the program has ended. */
  #searchScreen(): void {
    const { terminal, exitStatus } = this.#view;
    const { topLine, endLine } = terminal;
    const open = exitStatus === null ? terminal.linePosition().line : endLine;
    this.#find(this.#textsFrom(topLine, open).join(''));
    this.#find(this.#textsFrom(open + 1, endLine).join(''));
    for (const { reader } of terminal.readLines(open, open + 1)) this.#find(reader.spaced());
  }

  #textsFrom(from: number, to: number): string[] {
    const reads = this.#view.terminal.readLines(from, to);
    return Array.from(reads, ({ reader }) => reader.spaced() + lineEnd);
  }

  /** A row that is full may continue where the program drew the rest. */
  #searchRows(): void {
    const { terminal } = this.#view;
    const { cols, rows } = terminal.size;
    let text = '';
    for (let row = 0; row < rows; row++) {
      const shown = terminal.readRow(row).spaced();
      text += shown;
      if (!terminal.wrapsAt(row)) text += shown.trimEnd().length < cols ? lineEnd : '\n';
    }
    this.#find(text);
  }

  #searchOutput(): void {
    const chunks = this.#view.rawOutput(this.#nextOffset);
    const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
    const lines = bytes.lastIndexOf(lineFeed) + 1;
    const end = lines === 0 && bytes.length > maxLine ? bytes.length : lines;
    for (let at = tokenPlace(bytes, 0, end); at >= 0; ) {
      const next = bytes.indexOf(lineFeed, at) + 1;
      const to = next === 0 ? end : next;
      const from = Math.max(bytes.lastIndexOf(lineFeed, at) + 1, at - maxLine);
      this.#find(decodeUtf8(bytes.subarray(from, to)));
      at = tokenPlace(bytes, to, end);
    }
    this.#nextOffset = (chunks[0]?.offset ?? this.#view.outputEnd) + end;
  }

  #find(text: string, rule = this.#rule): void {
    findInOutput(text, [rule]);
  }
}
