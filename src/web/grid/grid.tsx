import { useComputed } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted, needOf } from '#model';
import { openMenu } from '../actions/more-menu.tsx';
import { sessionActions } from '../actions/session-actions.ts';
import { themeProblem } from '../look/look.ts';
import { type App, addressOf, type Placed } from '../page/app.ts';
import { pressEarlyKeys } from '../page/early-keys.ts';
import { Header } from '../page/header.tsx';
import { Icon } from '../page/icon.tsx';
import { isForPage } from '../page/keys.ts';
import { Later, later } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import { askToNotify, countsOf, mayAsk, titleOfView } from '../page/notify.ts';
import { type GridRoute, go, goInPlace, gridPath, route, sessionPath } from '../page/route.ts';
import { focusNextThatAsks, Sections } from './sections.tsx';
import { machineOf, parseFilter, sessionsAt, sessionsWith, withMachine } from './session-filter.ts';
import { densities, density } from './tile.tsx';

const densityNames = { tiles: 'Tiles', compact: 'Compact', list: 'List' } as const;

const openNew = (app: App): void => void later(({ openNewSession }) => openNewSession(app));

/** All sessions in sections, those that want somebody first. */
export function Grid({ app }: { readonly app: App }) {
  const at: Omit<GridRoute, 'view'> = route.value.view === 'grid' ? route.value : {};
  const { query = '', byDirectory = false } = at;
  const field = useRef<HTMLInputElement>(null);
  const { all } = app.sessions;
  const apps = [app, ...app.others.value];
  const placed = useComputed<readonly Placed[]>(() =>
    [app, ...app.others.value].flatMap((each) =>
      each.sessions.ordered.value.map((info) => ({ app: each, info })),
    ),
  );
  const filter = useMemo(() => parseFilter(query), [query]);
  const { text, machines, directories } = filter;
  const targets = useMemo(() => sessionsAt(placed.value, filter, apps), [placed.value, filter]);
  const tiles = useMemo(() => sessionsWith(targets, text), [targets, text]);
  const counts = useMemo(() => countsOf(app), [app]);
  const { asks = 0, failed = 0 } = counts.value;
  useEffect(() => {
    titleOfView.value = 'vtr';
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isForPage(event)) return;
      const next = placed.value.find(({ info }) => needOf(info) === 'asks');
      const address =
        document.activeElement?.closest<HTMLElement>('[data-session]')?.dataset['session'];
      const focused = placed.value.find((each) => addressOf(each.app, each.info.name) === address);
      if (event.key === '/') {
        event.preventDefault();
        field.current?.focus();
      } else if (event.key === 'n' && next !== undefined) {
        go(sessionPath(addressOf(next.app, next.info.name)));
      } else if (event.key === 'N') {
        focusNextThatAsks();
      } else if (event.key === 'c' && app.me.scope === 'all') {
        event.preventDefault();
        openNew(app);
      } else if (focused !== undefined) actByKey(event, focused);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [app]);
  const isThere = all.value !== null;
  useEffect(() => {
    if (isThere) pressEarlyKeys();
  }, [isThere]);
  if (!isThere) return <Loading />;
  const isSearch = text.length > 1;
  return (
    <main class={isSearch ? 'grid searching' : 'grid'}>
      <Header
        app={app}
        status={
          <>
            {counted(placed.value.length, 'session')}
            {asks > 0 && <b class="asks">{`, ${asks} waiting`}</b>}
            {failed > 0 && <span class="failed">{`, ${failed} failed`}</span>}
          </>
        }
        search={
          <input
            type="search"
            aria-label="Filter sessions"
            placeholder="Filter or search output (/)"
            title="Words, machine:NAME, dir:PATH"
            ref={field}
            value={query}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
              event.preventDefault();
              document.querySelector<HTMLElement>('.match, .tile > a')?.focus();
            }}
            onInput={({ currentTarget: { value } }) => {
              goInPlace(gridPath({ ...at, query: value }));
            }}
          />
        }
        menu={() => (
          <>
            {app.me.scope === 'all' && (
              <>
                <button
                  type="button"
                  aria-pressed={byDirectory}
                  onClick={() => goInPlace(gridPath({ ...at, byDirectory: !byDirectory }))}
                >
                  By directory
                </button>
                {densities.map((each) => (
                  <button
                    type="button"
                    key={each}
                    aria-pressed={density.value === each}
                    onClick={() => {
                      density.value = each;
                    }}
                  >
                    {densityNames[each]}
                  </button>
                ))}
                <hr />
              </>
            )}
            {app.me.scope === 'all' && <a href="#/f">Recordings</a>}
            {app.me.scope === 'all' && <a href="#/people">People and devices</a>}
            {mayAsk.value && (
              <button type="button" onClick={() => void askToNotify()}>
                Notify me
              </button>
            )}
            <button type="button" onClick={() => void later(({ openSettings }) => openSettings())}>
              Settings
            </button>
          </>
        )}
      >
        {app.me.scope === 'all' && (
          <button type="button" class="primary new" aria-label="New" onClick={() => openNew(app)}>
            <Icon name="plus" />
            <span>New</span>
          </button>
        )}
      </Header>
      {apps.length > 1 && <Machines apps={apps} query={query} at={at} />}
      {isSearch && (
        <Later
          show={({ OutputResults }) => (
            <OutputResults
              targets={targets}
              query={text}
              places={JSON.stringify([machines, directories])}
              ways={at}
            />
          )}
        />
      )}
      {[...app.problems.value, themeProblem.value].filter(Boolean).map((problem) => (
        <p key={problem} class="problem" role="status">
          {problem}
        </p>
      ))}
      {tiles.length === 0 && <Empty app={app} query={query} />}
      <Sections sessions={tiles} byDirectory={byDirectory} />
    </main>
  );
}

interface MachinesProps {
  readonly apps: readonly App[];
  readonly query: string;
  readonly at: Omit<GridRoute, 'view'>;
}

/** Buttons for the sessions of one machine, or of all. */
function Machines({ apps, query, at }: MachinesProps) {
  const { machines } = parseFilter(query);
  const button = (name: string, machine: string | null, shown: readonly App[]) => (
    <button
      type="button"
      key={name}
      aria-pressed={machine === null ? machines.length === 0 : machines.includes(machine)}
      onClick={() => go(gridPath({ ...at, query: withMachine(query, machine) }))}
    >
      {name}
      <span class="soft">
        {shown.reduce((sum, each) => sum + each.sessions.ordered.value.length, 0)}
      </span>
    </button>
  );
  return (
    <section class="machines" aria-label="Machines">
      {button('All machines', null, apps)}
      {apps.map((each) => button(machineOf(each), machineOf(each), [each]))}
    </section>
  );
}

/** Places of tiles, while the first sessions are loaded. */
function Loading() {
  return (
    <main class="grid" aria-busy="true">
      <p class="only-read" role="status">
        Connecting…
      </p>
      <ul class="tiles">
        {[0, 1, 2, 3, 4, 5].map((at) => (
          <li key={at} class="tile skeleton" />
        ))}
      </ul>
    </main>
  );
}

const firstCommand = 'vtr spawn -- claude';

/** Says what would be here, and how to begin. */
function Empty({ app, query }: { readonly app: App; readonly query: string }) {
  if (query !== '') return <p class="empty">No session matches.</p>;
  const copy = () =>
    navigator.clipboard
      .writeText(firstCommand)
      .then(() => say('Copied'))
      .catch(() => say('The browser refused to copy'));
  return (
    <section class="card welcome" aria-label="No sessions">
      <p class="title">No sessions</p>
      <p class="soft">
        Programs that run in vtr are shown here, live. You can watch them, answer them and take them
        over, and those that need you come first.
      </p>
      {app.me.scope === 'all' && (
        <button type="button" class="primary" onClick={() => openNew(app)}>
          New session
        </button>
      )}
      <p class="soft">Or in a shell:</p>
      <p class="group">
        <code>{firstCommand}</code>
        <button type="button" aria-label="Copy the command" onClick={copy}>
          <Icon name="copy" />
        </button>
      </p>
    </section>
  );
}

/** Does what a key means for the session with the focus. */
function actByKey(event: KeyboardEvent, { app, info }: Placed): void {
  const actions = sessionActions(app, info);
  const action = actions.find(({ key }) => key === event.key);
  if (event.key !== 'm' && action === undefined) return;
  event.preventDefault();
  const tile = document.activeElement?.closest('[data-session]');
  if (action !== undefined) action.run();
  else if (tile) openMenu(tile, actions);
}
