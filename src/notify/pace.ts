import { counted } from '#model';
import type { Notice } from './notices.ts';

/** The same notice of a session is not told again within this time, in ms: its reason may flicker. */
const sameMs = 60_000;
const minuteMs = 60_000;
/** The most sessions that a summary names. */
const maxNames = 8;

/** Hours of each day, by the clock on the wall. They may include midnight. */
export interface QuietHours {
  /** In minutes since midnight, 0 to 1439. */
  readonly fromMinute: number;
  /** The first minute after them. */
  readonly toMinute: number;
}

export interface PaceOptions {
  /** The most notifications in a minute. */
  readonly perMinute: number;
  /** The hours in which nothing is told; null: none. */
  readonly quiet: QuietHours | null;
  /** Returns whether the reason of a notice still exists. */
  readonly isCurrent: (notice: Notice) => boolean;
}

/** Now, by two clocks. */
export interface Moment {
  /** Monotonic. */
  readonly nowMs: number;
  /** In ms since 1970. */
  readonly wallMs: number;
}

/**
 * Decides when notices are told: at most so many in a minute, and none in quiet hours. Those that had to wait are told
 * together, as far as their reasons still exist.
 */
export class Pace {
  readonly #options: PaceOptions;
  #waiting: Notice[] = [];
  /** When each notice was offered last, by its text. */
  readonly #offered = new Map<string, number>();
  /** When the last notifications were told, oldest first. */
  #toldMs: number[] = [];

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Adds new notices, and returns what is to be told now. */
  take(notices: readonly Notice[], { nowMs, wallMs }: Moment): Notice[] {
    const fresh = notices.filter((notice) => this.#isNew(notice, nowMs));
    // Of each session, the newest notice waits.
    const others = this.#waiting.filter(({ id }) => fresh.every((notice) => notice.id !== id));
    this.#waiting = [...others, ...fresh];
    if (this.#waiting.length === 0 || this.#quietMs(wallMs) > 0) return [];
    this.#toldMs = this.#toldMs.filter((toldMs) => nowMs - toldMs < minuteMs);
    const room = this.#options.perMinute - this.#toldMs.length;
    if (room <= 0) return [];
    const waiting = this.#waiting.filter((notice) => this.#options.isCurrent(notice));
    this.#waiting = [];
    // All of them take one place if they do not have one each.
    const next = waiting.length <= room ? waiting : [summary(waiting)];
    this.#toldMs.push(...next.map(() => nowMs));
    return next;
  }

  /** When {@link take} may return more of those that wait, in ms from now; null if none waits. */
  nextMs({ nowMs, wallMs }: Moment): number | null {
    if (this.#waiting.length === 0) return null;
    const quietMs = this.#quietMs(wallMs);
    if (quietMs > 0) return quietMs;
    const [first = nowMs] = this.#toldMs.slice(-this.#options.perMinute);
    return Math.max(0, first + minuteMs - nowMs);
  }

  #isNew({ title, text }: Notice, nowMs: number): boolean {
    for (const [key, atMs] of this.#offered) {
      if (nowMs - atMs >= sameMs) this.#offered.delete(key);
    }
    const key = `${title}\n${text}`;
    const isNew = !this.#offered.has(key);
    this.#offered.set(key, nowMs);
    return isNew;
  }

  /** How long the quiet hours last, in ms; 0 if it is not quiet. */
  #quietMs(wallMs: number): number {
    const { quiet } = this.#options;
    return quiet === null ? 0 : quietLeftMs(quiet, new Date(wallMs));
  }
}

/** Returns how long quiet hours last, in ms; 0 if a time is not in them. */
export function quietLeftMs({ fromMinute, toMinute }: QuietHours, time: Date): number {
  const minute = time.getHours() * 60 + time.getMinutes();
  const isQuiet =
    fromMinute < toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute;
  if (!isQuiet) return 0;
  // By the calendar, because the clock may be set between.
  const end = new Date(time);
  end.setHours(Math.floor(toMinute / 60), toMinute % 60, 0, 0);
  if (end <= time) end.setDate(end.getDate() + 1);
  return Math.max(1, end.getTime() - time.getTime());
}

/** Several notices in one. */
function summary(notices: readonly Notice[]): Notice {
  const titles = notices.map(({ title }) => title);
  const more = titles.length > maxNames ? `, ${titles.length - maxNames} more` : '';
  return {
    title: `${counted(new Set(notices.map(({ id }) => id)).size, 'session')} need you`,
    text: `${titles.slice(0, maxNames).join(', ')}${more}`,
    id: '',
    about: null,
    of: notices,
  };
}
