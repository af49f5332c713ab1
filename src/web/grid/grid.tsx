import { computed, useComputed, useSignal } from '@preact/signals';
import { queryScore } from '#base';
import { commandText, directoryOf, type SessionInfo } from '#model';
import type { App } from '../page/app.ts';
import { askToNotify, mayAsk } from '../page/notify.ts';
import { Tile } from './tile.tsx';

/** The most tiles that are live at once. */
const maxTiles = 64;

/** All sessions as tiles, those that want somebody first. */
export function Grid({ app }: { readonly app: App }) {
  const query = useSignal('');
  const isGrouped = useSignal(false);
  const { all, ordered } = app.sessions;
  const found = useComputed(() => matching(ordered.value, query.value));
  const wanting = computed(() => ordered.value.filter(({ attention }) => attention).length);
  if (all.value === null) return <p class="empty">Connecting…</p>;
  const shown = found.value.slice(0, maxTiles);
  return (
    <main class="grid">
      <header class="bar">
        <h1>{app.me.coordinator}</h1>
        <span role="status">
          {`${all.value.size} ${all.value.size === 1 ? 'session' : 'sessions'}`}
          {wanting.value > 0 && <b>{`, ${wanting.value} waiting`}</b>}
        </span>
        <span class="gap" />
        <input
          type="search"
          aria-label="Filter sessions"
          placeholder="Filter"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
        <button
          type="button"
          aria-pressed={isGrouped.value}
          onClick={() => {
            isGrouped.value = !isGrouped.value;
          }}
        >
          By directory
        </button>
        {mayAsk.value && (
          <button type="button" onClick={() => void askToNotify()}>
            Notify me
          </button>
        )}
        {app.me.scope === 'all' && (
          <a class="button" href="#/f">
            Recordings
          </a>
        )}
      </header>
      {shown.length === 0 && (
        <p class="empty">
          {query.value === '' ? 'No sessions. Start one with vtr spawn.' : 'No session matches.'}
        </p>
      )}
      {isGrouped.value ? (
        [...grouped(shown)].map(([directory, sessions]) => (
          <section key={directory} aria-label={directory}>
            <h2>{directory}</h2>
            <Tiles app={app} sessions={sessions} />
          </section>
        ))
      ) : (
        <Tiles app={app} sessions={shown} />
      )}
      {found.value.length > maxTiles && (
        <p class="empty">{`${found.value.length - maxTiles} more: use the filter`}</p>
      )}
    </main>
  );
}

function Tiles({
  app,
  sessions,
}: {
  readonly app: App;
  readonly sessions: readonly SessionInfo[];
}) {
  return (
    <ul class="tiles">
      {sessions.map((info) => (
        <Tile key={info.id} app={app} info={info} />
      ))}
    </ul>
  );
}

/** Returns the sessions in which all words of a query occur: the best first, else in their order. */
function matching(sessions: readonly SessionInfo[], query: string): SessionInfo[] {
  const scored = sessions.flatMap((info) => {
    const labels = Object.values(info.labels ?? {});
    const texts = [info.name, commandText(info), directoryOf(info), info.title, ...labels];
    const score = queryScore(query, texts);
    return score === null ? [] : [{ info, score }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ info }) => info);
}

function grouped(sessions: readonly SessionInfo[]): Map<string, SessionInfo[]> {
  const groups = new Map<string, SessionInfo[]>();
  for (const info of sessions) {
    const directory = directoryOf(info);
    const group = groups.get(directory);
    if (group === undefined) groups.set(directory, [info]);
    else group.push(info);
  }
  return groups;
}
