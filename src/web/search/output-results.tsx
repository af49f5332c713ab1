import { useEffect, useMemo } from 'preact/hooks';
import type { GrepMatchJson } from '#messages';
import { counted } from '#model';
import { addressOf } from '../page/app.ts';
import type { OutputResultsProps } from '../page/later.tsx';
import { goInPlace, gridPath, route, type SearchWays, sessionPath } from '../page/route.ts';
import { OutputSearch, type SessionMatches } from './output-search.ts';
import { WayButtons } from './way-buttons.tsx';

/** A search begins this long after the last key, in ms. */
const pauseMs = 250;
/** The most characters of a line that are shown: those around its match. */
const maxLine = 240;

/** The matches of a query in the output of all sessions, by session, while the person types. */
export function OutputResults({ targets, query, places, ways }: OutputResultsProps) {
  const search = useMemo(() => new OutputSearch(), []);
  const { isPattern = false, isExact = false } = ways;
  useEffect(() => {
    const timer = setTimeout(
      () => void search.search(targets, query.trim(), { isPattern, isExact }),
      pauseMs,
    );
    return () => {
      clearTimeout(timer);
      search.cancel();
    };
    // Sessions that begin or end meanwhile are searched the next time.
  }, [query, places, isPattern, isExact]);
  const results = search.results.value;
  return (
    <section class="output" aria-label="Output">
      <div class="output-head">
        <h2>Output</h2>
        <span role="status" class="soft">
          {statusText(search)}
        </span>
        <SearchToggles ways={ways} isTried={results.some((each) => each.isPattern)} />
        {search.left.value > 0 && (
          <button type="button" onClick={() => search.cancel()}>
            Cancel
          </button>
        )}
      </div>
      {search.problem.value !== '' && (
        <p class="problem" role="alert">
          {search.problem.value}
        </p>
      )}
      {results.map((result) => (
        <SessionResults key={result.info.id} result={result} />
      ))}
    </section>
  );
}

function statusText(search: OutputSearch): string {
  const { left, results, isFull } = search;
  const sessions = counted(results.value.length, 'session');
  const text =
    search.count === 0 ? 'no match' : `${counted(search.count, 'match', 'matches')} in ${sessions}`;
  if (left.value > 0) return `${text}, ${left.value} left to search`;
  return isFull.value ? `${text}; there are more: write more of it` : text;
}

/** How the address says that output is searched. */
function SearchToggles({
  ways,
  isTried,
}: {
  readonly ways: SearchWays;
  readonly isTried: boolean;
}) {
  const set = (change: SearchWays) => {
    if (route.value.view === 'grid') goInPlace(gridPath({ ...route.value, ...change }));
  };
  const { isPattern = false, isExact = false } = ways;
  return (
    <WayButtons
      isExact={isExact}
      isPattern={isPattern || isTried}
      setExact={(value) => set({ isExact: value })}
      setPattern={(value) => set({ isPattern: value })}
    />
  );
}

function SessionResults({ result }: { readonly result: SessionMatches }) {
  const { app, info, matches, isCut } = result;
  const address = addressOf(app, info.name);
  return (
    <section aria-label={address}>
      <h3>
        <a href={sessionPath(address)}>{address}</a>
        <span class="soft">{` ${matches.length}${isCut ? '+' : ''}`}</span>
      </h3>
      <ul class="list">
        {matches.map((match) => (
          <li key={match.lineId}>
            <a class="match" href={sessionPath(address, { line: Number(match.lineId ?? 0) })}>
              <Lines match={match} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A line with its match, between the lines around it. */
function Lines({ match }: { readonly match: GrepMatchJson }) {
  const { line = '', start = 0, end = 0, contextBefore = [], contextAfter = [] } = match;
  const from = Math.max(0, Math.min(start - 40, line.length - maxLine));
  const until = Math.min(line.length, from + maxLine);
  const last = Math.min(end, until);
  return (
    <code>
      {contextBefore.map((text) => (
        <Context key={`before ${text}`} text={text} />
      ))}
      <span class="cut">
        {from > 0 && '…'}
        {line.slice(from, start)}
        <mark>{line.slice(start, last)}</mark>
        {line.slice(last, until)}
        {until < line.length && '…'}
      </span>
      {contextAfter.map((text) => (
        <Context key={`after ${text}`} text={text} />
      ))}
    </code>
  );
}

const Context = ({ text }: { readonly text: string }) =>
  text.trim() === '' ? null : <span class="cut soft">{text.slice(0, maxLine)}</span>;
