import { useComputed } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { queryScore } from '#base';
import {
  agentQuestion,
  commandText,
  counted,
  directoryOf,
  needOf,
  type SessionInfo,
  stateText,
  withBranch,
} from '#model';
import { More, openMenu } from '../actions/more-menu.tsx';
import { sessionActions } from '../actions/session-actions.ts';
import { AnswerCard } from '../agents/answer-card.tsx';
import { askedBy } from '../agents/answering.ts';
import { onLook } from '../look/look.ts';
import { type App, addressOf } from '../page/app.ts';
import { Evidence, Told } from '../page/evidence.tsx';
import { Header } from '../page/header.tsx';
import { Icon } from '../page/icon.tsx';
import { isForPage } from '../page/keys.ts';
import { later } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import { askToNotify, countsOf, mayAsk, titleOfView } from '../page/notify.ts';
import {
  type GridRoute,
  go,
  goInPlace,
  gridPath,
  lastGrid,
  route,
  sessionPath,
} from '../page/route.ts';
import { OutputResults } from '../search/output-results.tsx';
import { TilePicture } from './tile-picture.ts';

/** The most tiles that are live at once. */
const maxTiles = 64;

/** A session and its coordinator. */
interface Placed {
  readonly app: App;
  readonly info: SessionInfo;
}

const openNew = (app: App): void => void later(({ openNewSession }) => openNewSession(app));

/** All sessions as tiles, those that want somebody first; those of other coordinators in groups. */
export function Grid({ app }: { readonly app: App }) {
  const at: Omit<GridRoute, 'view'> = route.value.view === 'grid' ? route.value : {};
  const { query = '', byDirectory = false } = at;
  const filter = useRef<HTMLInputElement>(null);
  const path = gridPath(at);
  useEffect(() => {
    lastGrid.value = path;
  }, [path]);
  const { all } = app.sessions;
  const placed = useComputed<readonly Placed[]>(() =>
    [app, ...app.others.value].flatMap((each) =>
      each.sessions.ordered.value.map((info) => ({ app: each, info })),
    ),
  );
  const tiles = useMemo(() => matching(placed.value, query), [placed.value, query]);
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
        filter.current?.focus();
      } else if (event.key === 'n' && next !== undefined) {
        go(sessionPath(addressOf(next.app, next.info.name)));
      } else if (event.key === 'c' && app.me.scope === 'all') {
        event.preventDefault();
        openNew(app);
      } else if (focused !== undefined) actByKey(event, focused);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [app]);
  if (all.value === null) return <Loading />;
  const shown = tiles.slice(0, maxTiles);
  const isSearch = query.trim().length > 1;
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
            ref={filter}
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
            <button
              type="button"
              aria-pressed={byDirectory}
              onClick={() => goInPlace(gridPath({ ...at, byDirectory: !byDirectory }))}
            >
              By directory
            </button>
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
          <button type="button" class="primary" onClick={() => openNew(app)}>
            <Icon name="plus" />
            New
          </button>
        )}
      </Header>
      {isSearch && <OutputResults targets={placed.value} query={query} ways={at} />}
      {app.problems.value.map((problem) => (
        <p key={problem} class="problem" role="status">
          {problem}
        </p>
      ))}
      {shown.length === 0 && <Empty app={app} query={query} />}
      {[...grouped(shown, byDirectory)].map(([group, sessions]) => (
        <section key={group} aria-label={group === '' ? app.me.coordinator : group}>
          {group !== '' && (
            <h2>
              {group}
              {sessions[0]?.app.sessions.isSilent.value && ' · does not answer'}
            </h2>
          )}
          <ul class="tiles">
            {sessions.map(({ app: at, info }) => (
              <Tile key={info.id} app={at} info={info} />
            ))}
          </ul>
        </section>
      ))}
      {tiles.length > maxTiles && (
        <p class="empty">{`${tiles.length - maxTiles} more: use the filter`}</p>
      )}
    </main>
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

/** Returns the sessions in which all words of a query occur: the best first, else in their order. */
function matching(sessions: readonly Placed[], query: string): Placed[] {
  const scored = sessions.flatMap((each) => {
    const { app, info } = each;
    const labels = Object.values(info.labels ?? {});
    const name = addressOf(app, info.name);
    const where = withBranch(directoryOf(info), info);
    const texts = [name, commandText(info), where, info.title, ...labels];
    const score = queryScore(query, texts);
    return score === null ? [] : [{ each, score }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ each }) => each);
}

/** Returns the sessions by coordinator, the own without a name, and by directory if that is wanted. */
function grouped(sessions: readonly Placed[], byDirectory: boolean): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const each of sessions) {
    const parts = [each.app.coordinator, byDirectory ? directoryOf(each.info) : ''];
    const name = parts.filter(Boolean).join(' · ');
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return groups;
}

const personText = ({ driver }: SessionInfo): string =>
  driver?.kind === 'person' ? `${driver.name || 'somebody'} drives` : '';

/** Why a session wants somebody; of an agent that asks, its question with the choices. */
const saysOf = ({ attention, agent }: SessionInfo): string =>
  (agent?.state === 'asks' && agentQuestion(agent)) || (attention?.evidence ?? '');

/** What a screen reader tells of a tile. */
const described = (info: SessionInfo): string =>
  [saysOf(info), stateText(info), commandText(info)].filter(Boolean).join(', ');

/** A session in the grid: its state, a live picture, and a field for an answer if it asks. */
function Tile({ app, info }: { readonly app: App; readonly info: SessionInfo }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { id, attention } = info;
  const name = addressOf(app, info.name);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const picture = new TilePicture(element);
    let hide: (() => void) | null = null;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) hide ??= app.sessions.show(info, picture);
      else {
        hide?.();
        hide = null;
      }
    });
    const sized = new ResizeObserver(() => picture.refresh());
    const offLook = onLook(() => picture.refresh());
    observer.observe(element);
    sized.observe(element);
    return () => {
      observer.disconnect();
      sized.disconnect();
      offLook();
      hide?.();
    };
  }, [app, id]);
  const question = app.me.write ? askedBy(info) : null;
  const wants = attention?.kind;
  return (
    <li class={`tile ${needOf(info)} ${wants ?? info.state}`} data-session={name}>
      <a href={sessionPath(name)} aria-label={name} aria-description={described(info)}>
        <span class="head">
          <b>{name}</b>
          <span class="state">
            {info.agent === undefined ? (wants ?? stateText(info)) : stateText(info)}
          </span>
        </span>
        <canvas ref={canvas} />
        {attention !== undefined && question === null && (
          <Evidence {...attention} evidence={saysOf(info)} />
        )}
        <Told info={info} />
        <span class="what">{commandText(info)}</span>
        <span class="where">
          {[withBranch(directoryOf(info), info), personText(info)].filter(Boolean).join(' · ')}
        </span>
      </a>
      <More app={app} info={info} />
      <AnswerCard app={app} info={info} hasScreen />
    </li>
  );
}
