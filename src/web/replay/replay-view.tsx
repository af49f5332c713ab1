import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { errorText } from '../link/link.ts';
import { hasRoomBeside, isPhone } from '../page/device.ts';
import type { FileReplayProps, SessionReplayProps } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import { titleOfView } from '../page/notify.ts';
import { filePath, goInPlace, replayPath, sessionPath } from '../page/route.ts';
import { clockText, indexAt, momentMs, momentText } from './moments.ts';
import { type RecordingSource, recordingOfFile, recordingOfSession } from './recording-source.ts';
import { followKeys } from './replay-keys.ts';
import { ReplayPane } from './replay-pane.ts';
import { SearchInTime, TimeLine } from './time-line.tsx';

/** The address follows the time when it stands still for so long, in ms. */
const settledMs = 500;

interface ReplayProps {
  readonly name: string;
  readonly back: string;
  /** The path of the session, if it can be watched live. */
  readonly live?: string;
  /** The time to show, as the address has it. Default: the end, which is what happened last. */
  readonly moment: string | undefined;
  /** Returns the path of a moment; of the end without one. */
  readonly pathOf: (moment?: string) => string;
  readonly load: () => Promise<RecordingSource>;
}

/** The replay of a file. */
export const FileReplay = ({ id, moment }: FileReplayProps) => (
  <ReplayView
    key={id}
    name={id}
    back="#/f"
    moment={moment}
    pathOf={(to) => filePath(id, to)}
    load={() => recordingOfFile(id)}
  />
);

/** The replay of a session, from which a person goes back to it. */
export const SessionReplay = ({ app, info, address, moment }: SessionReplayProps) => (
  <ReplayView
    key={info.id}
    name={info.name}
    back={sessionPath(address)}
    live={sessionPath(address)}
    moment={moment}
    pathOf={(to) => replayPath(address, to)}
    load={() => recordingOfSession(app.link, info)}
  />
);

/** A recording with a time line and its markers. */
function ReplayView({ name, back, live, moment, pathOf, load }: ReplayProps) {
  const host = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const pane = useSignal<ReplayPane | null>(null);
  const problem = useSignal('');
  const showsMarkers = useSignal(!isPhone() && hasRoomBeside());
  /** The moment that the page has written into the address. */
  const written = useRef<string | undefined>(undefined);
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
  useEffect(() => {
    if (shown === null || moment === undefined || moment === written.current) return;
    const atMs = momentMs(moment, shown.startedAtMs);
    if (atMs === null) say(`The address has no time: ${moment}`);
    else shown.seek(atMs);
  }, [shown, moment]);
  useEffect(() => {
    if (shown === null) return;
    return followKeys(shown, { search: () => searchField.current?.focus() });
  }, [shown]);
  useSignalEffect(() => {
    const now = pane.value;
    if (now === null || now.isPlaying.value) return;
    const atMs = now.atMs.value;
    const timer = setTimeout(() => {
      const isAtEnd = atMs >= now.durationMs;
      written.current = isAtEnd ? undefined : momentText(atMs, now.startedAtMs);
      goInPlace(pathOf(written.current));
    }, settledMs);
    return () => clearTimeout(timer);
  });
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
        {shown !== null && <SearchInTime pane={shown} field={searchField} />}
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
        {shown !== null && <CopyMoment pane={shown} pathOf={pathOf} />}
        {live !== undefined && (
          <a class="button" href={live}>
            Go live
          </a>
        )}
      </header>
      {problem.value !== '' && <p class="empty">{problem.value}</p>}
      <div class="work">
        <div class="pane" ref={host} />
        {shown !== null && showsMarkers.value && shown.markers.length > 0 && (
          <MarkerList pane={shown} />
        )}
      </div>
      {shown !== null && <TimeLine pane={shown} />}
    </main>
  );
}

/** Copies the address of the moment that is shown. */
function CopyMoment({
  pane,
  pathOf,
}: {
  readonly pane: ReplayPane;
  readonly pathOf: ReplayProps['pathOf'];
}) {
  const copy = () => {
    const path = pathOf(momentText(pane.atMs.value, pane.startedAtMs));
    const address = `${location.origin}/${path}`;
    navigator.clipboard.writeText(address).then(
      () => say('The link to this moment is copied'),
      () => say(`The browser refused to copy ${address}`),
    );
  };
  return (
    <button type="button" title="A link to this moment" onClick={copy}>
      Copy link
    </button>
  );
}

/** The markers, of which the last one before the time shown is marked and in view. */
function MarkerList({ pane }: { readonly pane: ReplayPane }) {
  const list = useRef<HTMLOListElement>(null);
  const current = indexAt(pane.markers, pane.atMs.value);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav class="markers" aria-label="Markers">
      <ol class="list" ref={list}>
        {pane.markers.map(({ atMs, label }, index) => (
          <li key={index}>
            <button
              type="button"
              aria-current={index === current ? 'true' : undefined}
              onClick={() => pane.seek(atMs)}
            >
              <span class="at">{clockText(atMs)}</span>
              <code class="cut">{label}</code>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
