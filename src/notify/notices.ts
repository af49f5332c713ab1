import { textHash } from '#base';
import {
  type Attention,
  type AttentionKind,
  attentionClause,
  attentionClauses,
  attentionReason,
  type SessionInfo,
} from '#model';

/** A session wants somebody who does not see it. */
export interface Notice {
  readonly title: string;
  /** One line. */
  readonly text: string;
  /** The id of the session; empty for several. */
  readonly id: string;
  /** Null for several. */
  readonly about: NoticeAbout | null;
  /** Those that are told together in this one. Absent: it is one. */
  readonly of?: readonly Notice[];
}

/** What a notice is about, for programs. */
export interface NoticeAbout {
  /** The name of the session, with its coordinator if needed. */
  readonly session: string;
  readonly kind: AttentionKind;
  /** When the attention began, in ms since 1970. */
  readonly sinceMs: number;
  /** Names the attention: another one of the session has another key. */
  readonly key: string;
  /** Whether it was there when vtr notify began. */
  readonly isMissed: boolean;
}

/** An attention that was told, or needs not be. */
export interface Told {
  /** As {@link NoticeAbout.key}. */
  readonly key: string;
  /** When it was told, in ms since 1970; 0 if it was not, because somebody looked. */
  readonly atMs: number;
}

/** What was told before this process. */
export interface Earlier {
  /** By the id of the session; null if nothing ever ran. */
  readonly bySession: ReadonlyMap<string, Told> | null;
  /** What was told after this time is told again, in ms since 1970; null: nothing. */
  readonly sinceMs: number | null;
}

/** Attention that lasts this long, in ms, is told: an agent may type on at once. */
const settleMs = 1_000;
/** The most sessions that are remembered. */
const maxTold = 2_000;

interface Known {
  info: SessionInfo;
  /** The attention that was told, or needs not be told. */
  last: Attention | null;
  /** When the present attention was first seen. */
  seenMs: number;
  /** The attention that was there at the beginning, and is to be told; null if there was none. */
  missed: Attention | null;
}

/**
 * Decides what to tell: each beginning of an attention once, if the session is not in view then. Of what
 * there is at the beginning, what began while nothing ran.
 */
export class Notices {
  readonly #sessions = new Map<string, Known>();
  /** The session in which this runs, which must not tell about itself; null if it is in none. */
  readonly #ownId: string | null;
  readonly #earlier: Earlier;
  readonly #statuses: Map<string, Told>;
  #hasChanged = false;

  constructor(ownId: string | null, earlier: Earlier = { bySession: null, sinceMs: null }) {
    this.#ownId = ownId;
    this.#earlier = earlier;
    this.#statuses = new Map(earlier.bySession);
  }

  /** Notes a session. @param isFirst whether it was listed when the watch began */
  note(info: SessionInfo, isFirst: boolean, nowMs: number): void {
    const before = this.#sessions.get(info.id);
    if (before === undefined) {
      const attention = isFirst ? (info.attention ?? null) : null;
      const isMissed = attention !== null && this.#isMissed(info.id, attention);
      const next = isMissed ? null : attention;
      this.#sessions.set(info.id, {
        info,
        last: next,
        seenMs: nowMs,
        missed: isMissed ? attention : null,
      });
      if (next !== null && !this.#statuses.has(info.id)) this.#keep(info.id, next, 0);
      return;
    }
    if (!isSame(before.info.attention, info.attention)) before.seenMs = nowMs;
    before.info = info;
  }

  /** Whether a notice is still true: a session of it wants somebody for that reason, and nobody looks at it. */
  isCurrent(notice: Notice): boolean {
    return (notice.of ?? [notice]).some(({ id, text }) => {
      const info = this.#sessions.get(id)?.info;
      return info !== undefined && !isInView(info) && attentionReason(info) === text;
    });
  }

  remove(id: string): void {
    this.#sessions.delete(id);
    if (this.#statuses.delete(id)) this.#hasChanged = true;
  }

  /** Its coordinator ended. If it comes back, what was told is not told again. */
  lose(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    const { attention: _none, ...info } = session.info;
    session.info = info;
  }

  /** Returns what is to be told now. @param nameOf a session's name, with its coordinator if needed */
  due(nowMs: number, nameOf: (info: SessionInfo) => string): Notice[] {
    return [...this.#sessions.values()].flatMap((session) => {
      const { info, last, seenMs, missed } = session;
      const { attention } = info;
      if (attention === undefined || isSame(last ?? undefined, attention)) return [];
      const isSeen = isInView(info);
      if (!isSeen && nowMs - seenMs < settleMs) return [];
      session.last = attention;
      if (isSeen || info.id === this.#ownId || isOfNotices(attention)) {
        this.#keep(info.id, attention, 0);
        return [];
      }
      const isMissed = isSame(missed ?? undefined, attention);
      return [noticeOf(info, attention, { session: nameOf(info), isMissed })];
    });
  }

  /** Notes that a notice was delivered. @param atMs in ms since 1970 */
  delivered(notice: Notice, atMs: number): void {
    for (const { id, about } of notice.of ?? [notice]) {
      if (about !== null && this.#sessions.has(id)) this.#keepKey(id, about.key, atMs);
    }
  }

  /** Whether {@link takeTold} has more. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Returns what was told, if that has changed since the last call, for the next process; else null. */
  takeTold(): ReadonlyMap<string, Told> | null {
    if (!this.#hasChanged) return null;
    this.#hasChanged = false;
    return this.#statuses;
  }

  /** When {@link due} may have more, in ms from now; null if that depends on events only. */
  nextMs(nowMs: number): number | null {
    const waiting = [...this.#sessions.values()].filter(
      ({ info, last }) => info.attention && !isSame(last ?? undefined, info.attention),
    );
    if (waiting.length === 0) return null;
    return Math.max(0, Math.min(...waiting.map(({ seenMs }) => seenMs + settleMs - nowMs)));
  }

  /** Whether what there is at the beginning is to be told. */
  #isMissed(id: string, attention: Attention): boolean {
    const { bySession, sinceMs } = this.#earlier;
    const last = bySession?.get(id);
    if (last?.key === keyOf(attention)) return sinceMs !== null && last.atMs > sinceMs;
    return bySession !== null || (sinceMs !== null && attention.sinceMs > sinceMs);
  }

  #keep(id: string, attention: Attention, atMs: number): void {
    this.#keepKey(id, keyOf(attention), atMs);
  }

  #keepKey(id: string, key: string, atMs: number): void {
    this.#hasChanged = true;
    this.#statuses.delete(id);
    this.#statuses.set(id, { key, atMs });
    const [oldest] = this.#statuses.keys();
    if (this.#statuses.size > maxTold && oldest !== undefined) this.#statuses.delete(oldest);
  }
}

function noticeOf(
  info: SessionInfo,
  attention: Attention,
  about: Pick<NoticeAbout, 'session' | 'isMissed'>,
): Notice {
  const { kind, sinceMs } = attention;
  return {
    title: `${about.session} ${attentionClause(info)}`,
    text: attentionReason(info),
    id: info.id,
    about: { ...about, kind, sinceMs, key: keyOf(attention) },
  };
}

const isInView = ({ viewers = [] }: SessionInfo): boolean =>
  viewers.some(({ away = false }) => !away);

const isSame = (a: Attention | undefined, b: Attention | undefined): boolean =>
  a?.kind === b?.kind && a?.sinceMs === b?.sinceMs && a?.evidence === b?.evidence;

/** Without its text, which may have a secret: the keys are saved. */
const keyOf = ({ kind, sinceMs, evidence }: Attention): string =>
  `${kind} ${sinceMs} ${textHash(evidence)}`;

/** A notification of `vtr notify` in another session: two of them would tell each other for ever. */
const ofNotices = new RegExp(
  `^\\S+ (?:${[...Object.values(attentionClauses), 'asks'].join('|')}): `,
);

const isOfNotices = ({ kind, evidence }: Attention): boolean =>
  kind === 'notification' && ofNotices.test(evidence);
