import { useSignal } from '@preact/signals';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link-error.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import type { SessionPane } from './session-pane.ts';

interface Found {
  readonly pattern: string;
  /** The lines with a match, oldest first. */
  readonly lines: readonly number[];
  /** The one that is shown. */
  readonly at: number;
  readonly isCut: boolean;
}

const maxMatches = 1_000;

/** Returns the place of the next line that is shown, in the direction of `by`, around the ends. */
function next(lines: readonly number[], shown: number | undefined, by: -1 | 1): number {
  const last = lines.length - 1;
  if (by < 0) {
    const at = shown === undefined ? last : lines.findLastIndex((line) => line < shown);
    return at < 0 ? last : at;
  }
  return Math.max(0, shown === undefined ? 0 : lines.findIndex((line) => line > shown));
}

/** Searches all lines of the session; Enter shows the match before, shift+Enter the one after. */
export function SearchBar({
  app,
  pane,
  info,
}: {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
}) {
  const text = useSignal('');
  const found = useSignal<Found | null>(null);
  const problem = useSignal('');

  /** Searches again each time: there may be more output. */
  const search = async (pattern: string): Promise<Omit<Found, 'at'>> => {
    const { name, id: sessionId } = info;
    const body = { name, sessionId, pattern, maxMatches };
    const answer = await app.link.call('Grep', body);
    const lines = (answer.matches ?? []).map(({ lineId }) => Number(lineId ?? 0));
    return { pattern, lines: [...new Set(lines)], isCut: answer.truncated === true };
  };
  const step = async (by: -1 | 1) => {
    if (text.value === '') return;
    try {
      const { lines, ...rest } = await search(text.value);
      problem.value = '';
      const before = found.value?.pattern === rest.pattern ? found.value : null;
      const at = next(lines, before?.lines[before.at], by);
      found.value = { ...rest, lines, at };
      const line = lines[at];
      if (line !== undefined) await pane.view.toLine(line);
    } catch (error) {
      problem.value = 'error';
      say(errorText(error));
    }
  };
  const result = found.value;
  const isCurrent = result !== null && result.pattern === text.value;
  const count = () => {
    if (problem.value !== '') return problem.value;
    if (!isCurrent) return '';
    const { lines, at, isCut } = result;
    if (lines.length === 0) return 'no match';
    return `${at + 1} of ${lines.length}${isCut ? '+' : ''}`;
  };
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        void step(-1);
      }}
    >
      <input
        type="search"
        aria-label="Search"
        placeholder="Search (RE2)"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            void step(1);
          } else if (event.key === 'Escape') {
            text.value = '';
            found.value = null;
            pane.view.unmark();
            pane.view.toEnd();
            pane.input.element.focus();
          }
        }}
      />
      <output aria-live="polite">{count()}</output>
    </form>
  );
}
