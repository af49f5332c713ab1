import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted } from '#model';
import type { TranscriptProps } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import { lineWith, TranscriptReader } from './transcript-reader.ts';

/** How often a transcript in view is read again if the program has drawn something, in ms: each reading costs work. */
const readAgainMs = 3_000;

/** What a full-screen program has shown, as text to scroll, search and copy. */
export function Transcript({ link, info, revisionNow, close }: TranscriptProps) {
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
    let revision = revisionNow();
    void readAndFollow();
    // Page Up scrolls it.
    if (list.current !== null) list.current.tabIndex = 0;
    list.current?.focus();
    const timer = setInterval(() => {
      const now = revisionNow();
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
