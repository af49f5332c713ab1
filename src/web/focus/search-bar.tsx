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
  readonly at: number;
  readonly isCut: boolean;
}

const maxMatches = 1_000;

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

  const search = async (): Promise<Found | null> => {
    const { name, id: sessionId } = info;
    const body = { name, sessionId, pattern: text.value, maxMatches };
    const answer = await app.link.call<{
      matches?: readonly { lineId?: string }[];
      truncated?: boolean;
    }>('Grep', body);
    const lines = (answer.matches ?? []).map(({ lineId }) => Number(lineId ?? 0));
    return { pattern: text.value, lines, at: lines.length, isCut: answer.truncated === true };
  };
  const step = async (by: number) => {
    if (text.value === '') return;
    try {
      const last = found.value?.pattern === text.value ? found.value : await search();
      problem.value = '';
      if (last === null || last.lines.length === 0) {
        found.value = last;
        return;
      }
      const count = last.lines.length;
      const at = (last.at + by + count) % count;
      found.value = { ...last, at: last.at === count && by > 0 ? 0 : at };
      await pane.view.toLine(last.lines[found.value.at] ?? 0);
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
