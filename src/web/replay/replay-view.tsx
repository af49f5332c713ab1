import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { errorText } from '../link/link.ts';
import { hasRoomBeside, isPhone } from '../page/device.ts';
import { titleOfView } from '../page/notify.ts';
import type { RecordingSource } from './recording-source.ts';
import { ReplayPane } from './replay-pane.ts';

const speeds = [0.5, 1, 2, 4, 8, 16];
/** How far the arrow keys go, in ms. */
const stepMs = 5_000;

const pad = (value: number): string => String(value).padStart(2, '0');

/** Returns a time as `1:02:03` or `2:03`. */
function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A recording with a time line and its markers. */
export function ReplayView({
  name,
  back,
  load,
}: {
  readonly name: string;
  readonly back: string;
  readonly load: () => Promise<RecordingSource>;
}) {
  const host = useRef<HTMLDivElement>(null);
  const pane = useSignal<ReplayPane | null>(null);
  const problem = useSignal('');
  const showsMarkers = useSignal(!isPhone() && hasRoomBeside());
  useEffect(() => {
    let newPane: ReplayPane | null = null;
    let isGone = false;
    load()
      .then((source) => {
        if (isGone || host.current === null) return;
        newPane = new ReplayPane(host.current, name, source);
        pane.value = newPane;
      })
      .catch((error) => {
        problem.value = errorText(error);
      });
    titleOfView.value = `${name} · replay · vtr`;
    return () => {
      isGone = true;
      pane.value = null;
      newPane?.dispose();
    };
  }, [name]);
  const shown = pane.value;
  return (
    <main class="focus replay">
      <header class="bar">
        <a href={back} class="back" aria-label="Back">
          ‹
        </a>
        <h1>{name}</h1>
        <span class="state">replay</span>
        {shown !== null && <span class="where">{shown.missing}</span>}
        <span class="gap" />
        {shown !== null && shown.markers.length > 0 && (
          <button
            type="button"
            aria-pressed={showsMarkers.value}
            onClick={() => {
              showsMarkers.value = !showsMarkers.value;
            }}
          >
            Markers
          </button>
        )}
      </header>
      {problem.value !== '' && <p class="empty">{problem.value}</p>}
      <div class="work">
        <div class="pane" ref={host} />
        {shown !== null && showsMarkers.value && shown.markers.length > 0 && (
          <nav class="commands" aria-label="Markers">
            <ol>
              {shown.markers.map(({ atMs, label }, index) => (
                <li key={index}>
                  <button type="button" onClick={() => shown.seek(atMs)}>
                    <span class="status">{clockText(atMs)}</span>
                    <code>{label}</code>
                  </button>
                </li>
              ))}
            </ol>
          </nav>
        )}
      </div>
      {shown !== null && <Controls pane={shown} />}
    </main>
  );
}

function Controls({ pane }: { readonly pane: ReplayPane }) {
  const atMs = pane.atMs.value;
  const isPlaying = pane.isPlaying.value;
  return (
    <div class="time" role="toolbar" aria-label="Playing">
      <button type="button" onClick={() => pane.toggle()}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <output>{`${clockText(atMs)} / ${clockText(pane.durationMs)}`}</output>
      <input
        type="range"
        aria-label="Time"
        aria-valuetext={clockText(atMs)}
        min={0}
        max={Math.max(1, Math.ceil(pane.durationMs))}
        step={1}
        value={atMs}
        onInput={({ currentTarget }) => pane.seek(Number(currentTarget.value))}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -stepMs, ArrowRight: stepMs }[event.key];
          if (by !== undefined) {
            event.preventDefault();
            pane.seek(atMs + by);
          } else if (event.key === ' ') {
            event.preventDefault();
            pane.toggle();
          }
        }}
      />
      <label>
        Speed{' '}
        <select
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
