import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted, type SessionInfo } from '#model';
import { type Calls, errorText } from '../link/link.ts';
import { say } from '../page/notices.tsx';
import type { SessionPane } from './session-pane.ts';

/** A row that a full-screen program has shown. */
export interface TranscriptLine {
  readonly text: string;
  /** Whether rows may be missing before it, or it may repeat others. */
  readonly isUncertain: boolean;
}

/** The most lines that are read at once, and that are shown. */
const maxLines = 5_000;
/** How often a transcript in view is read again if the program has drawn something, in ms: each reading costs work. */
const readAgainMs = 3_000;

/** The rows that a full-screen program has shown, in order and without repeats, as far as they were read. */
export class TranscriptReader {
  readonly lines = signal<readonly TranscriptLine[]>([]);
  /** Why there are none, or no more; empty if nothing is wrong. */
  readonly problem = signal('');
  readonly #link: Pick<Calls, 'call'>;
  readonly #session: { readonly name: string; readonly sessionId: string };
  #mark: string | undefined;
  #reading: Promise<void> | null = null;

  constructor(link: Pick<Calls, 'call'>, { name, id }: Pick<SessionInfo, 'name' | 'id'>) {
    this.#link = link;
    this.#session = { name, sessionId: id };
  }

  /** Reads what was shown since the last reading. */
  read(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const budget = { maxLines: String(maxLines), keep: 'KEPT_PART_TAIL' } as const;
    const since = this.#mark === undefined ? {} : { since: this.#mark };
    try {
      // A person sees what is there.
      const how = { transcript: true, redact: false, budget, ...since };
      const answer = await this.#link.call('Read', { ...this.#session, ...how });
      const { kind, text = {}, mark, uncertain = [] } = answer;
      if (kind === 'READ_KIND_LINES') {
        this.problem.value = 'The program no longer has the whole screen.';
        return;
      }
      this.problem.value = '';
      this.#mark = mark;
      if (kind !== 'READ_KIND_UNCHANGED') this.#add(text, new Set(uncertain));
    } catch (error) {
      this.problem.value = errorText(error);
    }
  }

  #add(
    { tail = '', omitted }: { readonly tail?: string; readonly omitted?: { lines?: string } },
    uncertain: ReadonlySet<number>,
  ): void {
    const left = Number(omitted?.lines ?? 0);
    const added = (tail === '' ? [] : tail.split('\n')).map((text, at) => ({
      text,
      isUncertain: uncertain.has(left + at) || (at === 0 && left > 0),
    }));
    this.lines.value = [...this.lines.value, ...added].slice(-maxLines);
  }
}

/** Returns the next line with a text, from one on, around the end; -1 if no line has it. */
export function lineWith(lines: readonly TranscriptLine[], text: string, from: number): number {
  const wanted = text.toLowerCase();
  const has = ({ text: line }: TranscriptLine) => line.toLowerCase().includes(wanted);
  const at = lines.findIndex((line, index) => index >= from && has(line));
  return at >= 0 ? at : lines.findIndex(has);
}

interface TranscriptProps {
  readonly link: Calls;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
  readonly close: () => void;
}

/** What a full-screen program has shown, as text to scroll, search and copy. */
export function Transcript({ link, pane, info, close }: TranscriptProps) {
  const { id } = info;
  const reader = useMemo(() => new TranscriptReader(link, info), [link, id]);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const found = useSignal(-1);
  const query = useSignal('');
  const lines = reader.lines.value;
  const readAndFollow = async () => {
    const element = list.current;
    const end = element === null ? 0 : element.scrollHeight - element.clientHeight;
    const follows = element === null || element.scrollTop >= end - 4;
    await reader.read();
    requestAnimationFrame(() => follows && list.current?.scrollTo({ top: 1e9 }));
  };
  useEffect(() => {
    let revision = pane.live.terminal?.revision;
    void readAndFollow();
    // Page Up scrolls it.
    list.current?.focus();
    const timer = setInterval(() => {
      const now = pane.live.terminal?.revision;
      if (now === revision || document.hidden) return;
      revision = now;
      void readAndFollow();
    }, readAgainMs);
    return () => clearInterval(timer);
  }, [reader]);
  const next = () => {
    if (query.value === '') return;
    found.value = lineWith(lines, query.value, found.value + 1);
    list.current?.children[found.value]?.scrollIntoView({ block: 'center' });
  };
  const copy = () => {
    const text = lines.map((line) => line.text).join('\n');
    navigator.clipboard
      .writeText(text)
      .then(() => say(`Copied ${counted(lines.length, 'line')}`))
      .catch(() => say('The browser refused to copy'));
  };
  return (
    <section
      class="transcript"
      aria-label="Transcript"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
          event.preventDefault();
          field.current?.focus();
        }
      }}
    >
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <b>Transcript</b>
        <input
          ref={field}
          type="search"
          aria-label="Search the transcript"
          placeholder="Search"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
            found.value = -1;
          }}
        />
        <output aria-live="polite">
          {query.value !== '' && found.value >= 0 && `line ${found.value + 1}`}
          {query.value !== '' && lineWith(lines, query.value, 0) < 0 && 'no match'}
        </output>
        <span class="gap" />
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </form>
      {reader.problem.value !== '' && <p class="problem">{reader.problem.value}</p>}
      <div class="lines" ref={list} tabIndex={0} role="document">
        {lines.map(({ text, isUncertain }, at) => (
          <div
            key={at}
            class={`${isUncertain ? 'uncertain ' : ''}${at === found.value ? 'found' : ''}`}
            title={isUncertain ? 'Rows may be missing before this one' : undefined}
          >
            {text === '' ? '\n' : text}
          </div>
        ))}
      </div>
    </section>
  );
}
