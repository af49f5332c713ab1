import { attentionClause, attentionReason, type SessionInfo, wantsPerson } from '#model';
import type { Wanting } from '../view/view.ts';

/** Bells of other sessions within this time, in ms, ring once. */
const ringMs = 1_000;

/** What a person who sees one session is to learn of the others. */
export interface OtherNews {
  /** The names of those that want somebody, in the order of the list. */
  readonly others: readonly string[];
  /** Those of them that begin to: each beginning is told once. */
  readonly news: readonly Wanting[];
  /** Whether the terminal must ring. */
  readonly rang: boolean;
}

/**
 * What a person has been told of sessions other than the one in view. It lasts while the person goes from session to
 * session, so that nothing is told twice.
 */
export class OtherSessions {
  /** Whether the bells of all sessions ring in the person's terminal. */
  readonly #rings: boolean;
  readonly #tells: boolean;
  /** The attention that was told, by the id of the session. */
  readonly #news = new Map<string, string>();
  /** The last bell that is known, by the id of the session, in ms since 1970. */
  readonly #bells = new Map<string, number>();
  #isFirst = true;
  /** When the terminal rang last, by a monotonic clock. */
  #rangMs = Number.NEGATIVE_INFINITY;

  /** @param tells false where a list of all sessions is beside the one in view: nothing is told, but bells ring */
  constructor(rings: boolean, { tells = true }: { readonly tells?: boolean } = {}) {
    this.#rings = rings;
    this.#tells = tells;
  }

  /** Returns whether a session wants somebody who sees another one. */
  wants(info: SessionInfo): boolean {
    return wantsPerson(info, this.#rings);
  }

  /**
   * Notes all sessions of a coordinator, of which one is in view. What was before the first call does not ring.
   *
   * @param nowMs by a monotonic clock
   */
  note(all: ReadonlyMap<string, SessionInfo>, ownId: string, nowMs: number): OtherNews {
    const others = [...all.values()].filter((info) => info.id !== ownId && this.wants(info));
    const own = all.get(ownId);
    // What the session in view wants is known when the person leaves it.
    if (own !== undefined) this.#isNews(own);
    const news = others.filter((info) => this.#isNews(info));
    for (const id of this.#news.keys()) {
      const info = all.get(id);
      if (info === undefined || !this.wants(info)) this.#news.delete(id);
    }
    const rang = this.#hasRung(all, ownId) && nowMs - this.#rangMs >= ringMs;
    if (rang) this.#rangMs = nowMs;
    if (!this.#tells) return { others: [], news: [], rang };
    return { others: others.map(({ name }) => name), news: news.map(wantingOf), rang };
  }

  /** Notes the attention of a session. Returns whether it is another one than was told. */
  #isNews({ id, attention }: SessionInfo): boolean {
    const { kind, sinceMs, evidence } = attention ?? {};
    const key = JSON.stringify([kind, sinceMs, evidence]);
    if (this.#news.get(id) === key) return false;
    this.#news.set(id, key);
    return true;
  }

  /** Notes all bells. Returns whether one of another session is new, and shall ring. */
  #hasRung(all: ReadonlyMap<string, SessionInfo>, ownId: string): boolean {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    for (const id of this.#bells.keys()) if (!all.has(id)) this.#bells.delete(id);
    const rung = [...all.values()].filter(({ id, bellAtMs = 0 }) => {
      const isNew = bellAtMs > (this.#bells.get(id) ?? 0);
      if (isNew) this.#bells.set(id, bellAtMs);
      return isNew && id !== ownId;
    });
    return this.#rings && !isFirst && rung.length > 0;
  }
}

function wantingOf(info: SessionInfo): Wanting {
  const reason = attentionReason(info);
  return { name: info.name, does: `${attentionClause(info)}${reason === '' ? '' : `: ${reason}`}` };
}
