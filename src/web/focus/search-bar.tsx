import { batch, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import { type App, addressOf } from '../page/app.ts';
import { Icon } from '../page/icon.tsx';
import { goInPlace, type SearchWays, sessionPath } from '../page/route.ts';
import { searchSession } from '../search/output-search.ts';
import { WayButtons } from '../search/way-buttons.tsx';
import type { TextPart } from '../terminal/screen-view.ts';
import type { SessionPane } from './session-pane.ts';

/** A search begins this long after the last key, in ms. */
const pauseMs = 200;
const maxMatches = 1_000;

interface Hits {
  readonly query: string;
  /** The lines with a match, oldest first. */
  readonly lines: readonly number[];
  /** The one that is shown. */
  readonly at: number;
  /** What was found in each. */
  readonly parts: ReadonlyMap<number, TextPart>;
  readonly isCut: boolean;
  readonly isPattern: boolean;
}

/** Returns the place of the next line that is shown, in the direction of `by`, around the ends. */
function next(lines: readonly number[], line: number | undefined, by: -1 | 1): number {
  const last = lines.length - 1;
  if (by < 0) {
    const at = line === undefined ? last : lines.findLastIndex((each) => each < line);
    return at < 0 ? last : at;
  }
  return Math.max(0, line === undefined ? 0 : lines.findIndex((each) => each > line));
}

interface SearchBarProps {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
}

/** What is searched, and what was found. */
function useSearch({ app, pane, info }: SearchBarProps) {
  const query = useSignal('');
  const ways = useSignal<SearchWays>({});
  const hits = useSignal<Hits | null>(null);
  const problem = useSignal('');

  const show = (result: Hits) => {
    hits.value = result;
    const { lines, at, parts } = result;
    pane.view.matches = parts;
    const marks = lines.map((line, place) => ({
      line,
      kind: place === at ? ('here' as const) : ('match' as const),
    }));
    pane.scrollMarks.set('search', marks);
    const line = lines[at];
    if (line === undefined) return Promise.resolve();
    // A reload, and Back, show the match again.
    goInPlace(sessionPath(addressOf(app, info.name), { line }));
    return pane.view.toLine(line);
  };
  /** Searches for what was typed that are under way. */
  const typedSteps = useRef(0);
  /** Searches again each time: there may be more output. @param by undefined for the newest match */
  const step = async (by: -1 | 1 | undefined): Promise<void> => {
    const text = query.value;
    if (text === '') return;
    if (by === undefined) typedSteps.current += 1;
    try {
      const result = await searchSession(app, info, text, ways.value, { maxMatches });
      if (text !== query.value) return;
      const { matches, ...rest } = result;
      const lines = [...new Set(matches.map(({ lineId }) => Number(lineId ?? 0)))];
      const parts = new Map(
        matches.map(({ lineId, start = 0, end = 0 }) => [Number(lineId ?? 0), { start, end }]),
      );
      const before = hits.value?.query === text ? hits.value : null;
      const line = before?.lines[before.at];
      // While the person types, the match that is shown stays.
      const same = by === undefined && line !== undefined ? lines.indexOf(line) : -1;
      const at = same >= 0 ? same : next(lines, by === undefined ? undefined : line, by ?? -1);
      problem.value = '';
      await show({ query: text, lines, at, parts, ...rest });
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      if (by === undefined) typedSteps.current -= 1;
    }
  };
  // The first Enter shows the newest match, whether or not it is shown already: nobody knows how fast they type.
  const isNew = useRef(false);
  /** Begins the search of what was typed last; null once it has begun. */
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const enter = (by: -1 | 1) => {
    const isFirst = isNew.current;
    isNew.current = false;
    const isPending = timer.current !== null;
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = null;
    // It is being searched: a second search would show what is printed later, unasked.
    if (isFirst && !isPending && typedSteps.current > 0) return;
    void step(isFirst ? undefined : by);
  };
  useEffect(() => {
    isNew.current = true;
    if (query.value === '') return;
    timer.current = setTimeout(() => {
      timer.current = null;
      void step(undefined);
    }, pauseMs);
    return () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    };
  }, [query.value, ways.value]);
  const clear = () => {
    batch(() => {
      query.value = '';
      hits.value = null;
      problem.value = '';
    });
    pane.scrollMarks.set('search', []);
    pane.view.matches = new Map();
    goInPlace(sessionPath(addressOf(app, info.name)));
    pane.view.unmark();
  };
  return { query, ways, hits, problem, enter, clear };
}

type Search = ReturnType<typeof useSearch>;

/** Searches all lines of the session, while the person types; Enter shows the match before, Shift+Enter the one after. */
export function SearchBar(props: SearchBarProps) {
  const { pane } = props;
  const { isSearching: isOpen } = pane;
  const search = useSearch(props);
  const { query, ways, hits, enter, clear } = search;
  useEffect(() => {
    if (isOpen.value) pane.searchField?.focus();
  }, [isOpen.value]);
  return (
    <form
      class={`search ${isOpen.value ? 'open' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        enter(-1);
      }}
    >
      <button
        type="button"
        class="icon opener"
        aria-label="Show the search"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
          if (!isOpen.value) clear();
        }}
      >
        <Icon name="search" />
      </button>
      <input
        ref={(field) => {
          pane.searchField = field;
        }}
        type="search"
        aria-label="Search"
        placeholder="Search"
        value={query.value}
        onInput={({ currentTarget }) => {
          if (currentTarget.value === '') clear();
          else query.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            enter(1);
          } else if (event.key === 'Escape') {
            clear();
            isOpen.value = false;
            pane.view.toEnd();
            pane.input.element.focus();
          }
        }}
      />
      {query.value !== '' && (
        <>
          <WayButtons
            isExact={ways.value.isExact ?? false}
            isPattern={ways.value.isPattern || (hits.value?.isPattern ?? false)}
            setExact={(isExact) => {
              ways.value = { ...ways.value, isExact };
            }}
            setPattern={(isPattern) => {
              ways.value = { ...ways.value, isPattern };
            }}
          />
          <span class="group">
            <button type="button" aria-label="Previous match" onClick={() => enter(-1)}>
              ↑
            </button>
            <button type="button" aria-label="Next match" onClick={() => enter(1)}>
              ↓
            </button>
          </span>
        </>
      )}
      <output aria-live="polite" title={search.problem.value}>
        {countText(search)}
      </output>
    </form>
  );
}

function countText({ query, hits, problem }: Search): string {
  if (problem.value !== '') return 'error';
  if (hits.value === null || hits.value.query !== query.value) return '';
  const { lines, at, isCut } = hits.value;
  if (lines.length === 0) return 'no match';
  return `${at + 1} of ${lines.length}${isCut ? '+' : ''}`;
}
