import type { RedactRequest, SessionInfo, VtrError } from '#model';
import type { SecretRule, Variables } from '#recording';
import type { Session } from '#session';
import type { Registered } from '../registry.ts';
import type { ShownView } from './redacted-terminal.ts';
import { Redaction, redactedTexts } from './redaction.ts';

export interface RedactionsOptions {
  readonly rulesOf: (session: Registered) => readonly SecretRule[];
  /** The rules for text that belongs to no session. */
  readonly textRules: TextRules;
  /** All sessions: such text can contain their secrets. */
  readonly sessions: () => readonly Registered[];
  /** Learns the secrets that a session has shown until now. */
  readonly learn: (session: Session) => void;
  /** Whether secrets are replaced unless a call requests otherwise. */
  readonly isDefault: boolean;
}

/**
 * - `known`: what sessions know, and the values of variables whose names look like secrets.
 * - `all`: also what has the form of a key or token, or matches a pattern. Such a match can include what follows it,
 *   so the text must be one value, not several fields side by side.
 */
export type SecretsOfText = 'known' | 'all';

export type TextRules = (
  sessions: readonly Registered[],
  variables: readonly Variables[],
  which: SecretsOfText,
) => readonly SecretRule[];

/** What a call reads a session through. */
export interface Reading {
  readonly shown: ShownView;
  /** Null if nothing is replaced. */
  readonly redaction: Redaction | null;
}

/** Replaces secrets in the answers of calls that request it. */
export class Redactions {
  readonly #options: RedactionsOptions;

  constructor(options: RedactionsOptions) {
    this.#options = options;
  }

  /** Whether a call wants secrets replaced. */
  isOn({ redact }: RedactRequest): boolean {
    return redact ?? this.#options.isDefault;
  }

  /**
   * Calls `read` at once, and returns its answer without secrets if the call wants that; failures, too.
   *
   * @param isOfScreen whether the answer quotes parts of the screen in other fields than text
   */
  reading<T extends object>(
    session: Session,
    request: RedactRequest,
    read: (reading: Reading) => Promise<T> | T,
    isOfScreen = false,
  ): Promise<T> | T {
    if (!this.isOn(request)) return read({ shown: session.view, redaction: null });
    return this.#redacted(session, read, isOfScreen);
  }

  /** Returns what is listed of a session, without secrets if the call wants that. */
  info(session: Registered, request: RedactRequest, info: SessionInfo): SessionInfo {
    if (!this.isOn(request)) return info;
    if ('live' in session) return redactedTexts(info, this.#options.rulesOf(session));
    return this.#of(session).finished(info, true);
  }

  /** Returns a failure that may quote the screen of a session, without secrets whatever the call requests. */
  failure(session: Session, thrown: unknown): VtrError {
    return this.#of(session).failure(thrown);
  }

  /** Returns the rules that find the secrets of a session, with those that it has shown until now. */
  rulesOf(session: Session): readonly SecretRule[] {
    this.#options.learn(session);
    return this.#options.rulesOf(session);
  }

  /**
   * Returns text that belongs to no session, without secrets.
   *
   * @param variables environments whose values the text can contain
   */
  text(text: string, variables: readonly Variables[], which: SecretsOfText): string {
    const { sessions, textRules, learn } = this.#options;
    const all = sessions();
    for (const session of all) if (!('live' in session)) learn(session);
    return redactedTexts({ text }, textRules(all, variables, which)).text;
  }

  #of(session: Session): Redaction {
    const { rulesOf, learn } = this.#options;
    return new Redaction(session.view, rulesOf(session), () => learn(session));
  }

  #redacted<T extends object>(
    session: Session,
    read: (reading: Reading) => Promise<T> | T,
    isOfScreen: boolean,
  ): Promise<T> | T {
    const redaction = this.#of(session);
    const finished = (answer: T) => redaction.finished(answer, isOfScreen);
    const failed = (error: unknown) => {
      throw redaction.failure(error);
    };
    try {
      const answer = read({ shown: redaction.view, redaction });
      return answer instanceof Promise ? answer.then(finished, failed) : finished(answer);
    } catch (error) {
      return failed(error);
    }
  }
}
