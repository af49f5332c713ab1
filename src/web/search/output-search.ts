import { signal } from '@preact/signals';
import type { GrepMatchJson } from '#messages';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import type { App } from '../page/app.ts';
import type { SearchWays } from '../page/route.ts';

/** Sessions that are searched at once. */
const atOnce = 4;
/** The most matches of a session, and of all. */
const maxOfOne = 20;
const maxOfAll = 300;

/** Characters that mean something in a pattern (RE2). */
const meta = /[\\.+*?()|[\]{}^$]/;

/** Returns the pattern (RE2) of a query: capital letters count if there are some. */
export function patternOf(
  query: string,
  { isPattern = false, isExact = false }: SearchWays,
): string {
  const pattern = isPattern ? query : query.replace(new RegExp(meta, 'g'), '\\$&');
  return isExact || /\p{Lu}/u.test(query) ? pattern : `(?i)${pattern}`;
}

/** What a search of one session found. */
export interface Matches {
  /** Oldest first. */
  readonly matches: readonly GrepMatchJson[];
  /** Whether there are more. */
  readonly isCut: boolean;
  /** Whether the query was a pattern: of a query that occurs nowhere as text, it is tried. */
  readonly isPattern: boolean;
}

interface Limits {
  readonly maxMatches: number;
  /** Lines before and after a match. */
  readonly context?: number;
}

/** Searches all lines of a session. @throws LinkError */
export async function searchSession(
  { link }: Pick<App, 'link'>,
  { name, id: sessionId }: Pick<SessionInfo, 'name' | 'id'>,
  query: string,
  ways: SearchWays,
  { maxMatches, context = 0 }: Limits,
): Promise<Matches> {
  const search = async (isPattern: boolean): Promise<Matches> => {
    const pattern = patternOf(query, { ...ways, isPattern });
    const lines = { contextBefore: context, contextAfter: context };
    const answer = await link.call('Grep', { name, sessionId, pattern, maxMatches, ...lines });
    return { matches: answer.matches ?? [], isCut: answer.truncated === true, isPattern };
  };
  if (ways.isPattern) return search(true);
  const text = await search(false);
  if (text.matches.length > 0 || !meta.test(query)) return text;
  // It need not be a valid pattern.
  return search(true).catch(() => text);
}

/** A session in which output was found. */
export interface SessionMatches extends Matches {
  readonly app: App;
  readonly info: SessionInfo;
}

interface Target {
  readonly app: App;
  readonly info: SessionInfo;
}

/** Searches the output of many sessions, some at once. A new search ends the one before. */
export class OutputSearch {
  /** In the order of the sessions, as they come. */
  readonly results = signal<readonly SessionMatches[]>([]);
  /** How many sessions are left; 0 if the search is complete. */
  readonly left = signal(0);
  /** Why sessions could not be searched; empty for nothing. */
  readonly problem = signal('');
  /** Whether there were more matches than are kept. */
  readonly isFull = signal(false);
  #number = 0;

  /** @returns when it is complete, or another one has begun */
  async search(targets: readonly Target[], query: string, ways: SearchWays): Promise<void> {
    this.cancel();
    const number = this.#number;
    this.results.value = [];
    this.problem.value = '';
    this.isFull.value = false;
    this.left.value = targets.length;
    const answers = new Map<Target, SessionMatches>();
    const queue = [...targets];
    const limits = { maxMatches: maxOfOne, context: 1 };
    const work = async () => {
      for (let target = queue.shift(); target !== undefined; target = queue.shift()) {
        const answer = await searchSession(target.app, target.info, query, ways, limits).catch(
          (error) => this.#failed(number, error),
        );
        if (number !== this.#number) return;
        this.left.value--;
        if (answer === null || answer.matches.length === 0) continue;
        answers.set(target, { ...target, ...answer });
        this.results.value = targets.flatMap((each) => answers.get(each) ?? []);
        if (this.count < maxOfAll) continue;
        this.isFull.value = true;
        this.cancel();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  /** The number of matches. */
  get count(): number {
    return this.results.value.reduce((sum, { matches }) => sum + matches.length, 0);
  }

  /** Ends the search; what was found stays. */
  cancel(): void {
    this.#number++;
    this.left.value = 0;
  }

  #failed(number: number, error: unknown): null {
    if (number === this.#number) this.problem.value = errorText(error);
    return null;
  }
}
