import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted, type SessionInfo } from '#model';
import type { Calls } from '../link/link.ts';
import { say } from '../page/notices.tsx';
import type { SessionPane } from './session-pane.ts';
import { lineWith, TranscriptReader } from './transcript-reader.ts';

/** How often a transcript in view is read again if the program has drawn something, in ms: each reading costs work. */
const readAgainMs = 3_000;

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
  const match = useSignal(-1);
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
    if (list.current !== null) list.current.tabIndex = 0;
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
    match.value = lineWith(lines, query.value, match.value + 1);
    list.current?.children[match.value]?.scrollIntoView({ block: 'center' });
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
            match.value = -1;
          }}
        />
        <output aria-live="polite">
          {query.value !== '' && match.value >= 0 && `line ${match.value + 1}`}
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
      <div class="lines" ref={list}>
        {lines.map(({ text, isUncertain }, at) => (
          <div
            key={at}
            class={`${isUncertain ? 'uncertain ' : ''}${at === match.value ? 'found' : ''}`}
            title={isUncertain ? 'Rows may be missing before this one' : undefined}
          >
            {text === '' ? '\n' : text}
          </div>
        ))}
      </div>
    </section>
  );
}
