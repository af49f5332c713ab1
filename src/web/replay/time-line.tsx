import { useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { clockText, indexAt, ticksOf } from './moments.ts';
import { type ReplayPane, speeds } from './replay-pane.ts';

/** Playing: the time, its line with ticks for the markers and what was found, and the speed. */
export function TimeLine({ pane }: { readonly pane: ReplayPane }) {
  const atMs = pane.atMs.value;
  const { durationMs, startedAtMs } = pane;
  const time = `${clockText(atMs)} / ${clockText(durationMs)}`;
  return (
    <div class="time" role="toolbar" aria-label="Playing">
      <button type="button" title="Space" onClick={() => pane.toggle()}>
        {pane.isPlaying.value ? 'Pause' : 'Play'}
      </button>
      <output title="Since the beginning">{time}</output>
      {startedAtMs !== undefined && (
        <time
          dateTime={new Date(startedAtMs + atMs).toISOString()}
          title={new Date(startedAtMs + atMs).toLocaleString()}
        >
          {new Date(startedAtMs + atMs).toLocaleTimeString()}
        </time>
      )}
      <div class="track">
        <Ticks pane={pane} />
        <input
          type="range"
          aria-label="Time"
          aria-valuetext={clockText(atMs)}
          min={0}
          max={Math.max(1, Math.ceil(durationMs))}
          step={1}
          value={atMs}
          onInput={({ currentTarget }) => pane.seek(Number(currentTarget.value))}
        />
      </div>
      <button
        type="button"
        class="toggle"
        title="Shortens times without output to 2 seconds"
        aria-pressed={pane.skipsPauses.value}
        onClick={() => pane.setSkipsPauses(!pane.skipsPauses.value)}
      >
        Skip idle
      </button>
      <label>
        <span class="what">Speed</span>{' '}
        <select
          aria-label="Speed"
          value={String(pane.speed.value)}
          onChange={({ currentTarget }) => pane.setSpeed(Number(currentTarget.value))}
        >
          {speeds.map((speed) => (
            <option key={speed} value={String(speed)}>{`${speed}×`}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Ticks({ pane }: { readonly pane: ReplayPane }) {
  const { durationMs, markers, search } = pane;
  const matches = useComputed(() => ticksOf(search.times.value?.times ?? [], durationMs)).value;
  const ofMarkers = ticksOf(
    markers.map(({ atMs }) => atMs),
    durationMs,
  );
  const tick = (kind: string) => (place: number) => (
    <i key={`${kind}${place}`} class={kind} style={{ '--at': String(place) }} />
  );
  return (
    <div class="ticks" aria-hidden="true">
      {ofMarkers.map(tick('marker'))}
      {matches.map(tick('match'))}
    </div>
  );
}

/** Finds when a text appears; Enter shows the next time, Shift+Enter the one before. */
export function SearchInTime({
  pane,
  field,
}: {
  readonly pane: ReplayPane;
  readonly field: RefObject<HTMLInputElement | null>;
}) {
  const text = useSignal('');
  const result = pane.search.times.value;
  const times = (result?.times ?? []).map((atMs) => ({ atMs }));
  const at = indexAt(times, pane.atMs.value);
  const isAt = Math.ceil(times[at]?.atMs ?? -1) === pane.atMs.value;
  const step = (by: 1 | -1) => {
    if (times.length === 0) return;
    const next = by === 1 ? at + 1 : at - (isAt ? 1 : 0);
    const around = (next + times.length) % times.length;
    pane.toFound(times[around]?.atMs ?? 0);
  };
  const count = () => {
    if (result === null) return '';
    const more = result.isDone ? '' : '…';
    if (times.length === 0) return result.isDone ? 'no match' : more;
    return `${isAt ? `${at + 1} of ` : ''}${times.length}${more}`;
  };
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        step(1);
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Search"
        placeholder="Search in time (/)"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          pane.search.start(text.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            step(-1);
          } else if (event.key === 'Escape') {
            text.value = '';
            pane.search.start('');
            event.currentTarget.blur();
          }
        }}
      />
      <output aria-live="polite">{count()}</output>
    </form>
  );
}
