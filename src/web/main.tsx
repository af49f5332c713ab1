import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { ignored } from '#base';
import { type WebWarning, webWarningHint, webWarningText } from '#model';
import { Grid } from './grid/grid.tsx';
import { Link } from './link/link.ts';
import { LoginError, login, type Me, me } from './link/login.ts';
import { onLook, startLook, takeTheme } from './look/look.ts';
import { type App, addressOf, findApp } from './page/app.ts';
import { Dialogs } from './page/dialog.tsx';
import { holdEarlyKeys, pressEarlyKeys } from './page/early-keys.ts';
import { followKeys } from './page/keys.ts';
import { Later, later, loadBy, loadLater } from './page/later.tsx';
import { Notices } from './page/notices.tsx';
import {
  countInTitle,
  countsOf,
  isPushed,
  keepPage,
  notifyOf,
  Others,
  titleOfView,
} from './page/notify.ts';
import { refuseFiles } from './page/refused-files.ts';
import { goInPlace, type Route, replayPath, route, sessionPath } from './page/route.ts';
import { NameBanner } from './people/own-name.tsx';
import { SessionList } from './sessions/session-list.ts';
import { forgetTheme } from './terminal/colors.ts';
import { startBlinking } from './terminal/screen-view.ts';

const notLoggedIn =
  'You are not logged in. Run vtr web and open the link that it prints. If somebody shared a session with you, that has ended: ask for a new link.';
const root = document.getElementById('app') as HTMLElement;

holdEarlyKeys();
onLook(forgetTheme);
loadBy(() => import('./on-demand.ts'));
startLook();

try {
  const allowed = await login();
  if (allowed === null) refuse(notLoggedIn);
  else start(allowed);
} catch (error) {
  if (error instanceof LoginError) refuse(error.message);
  else awaitAnswer(error);
}

function refuse(why: string): void {
  pressEarlyKeys();
  render(<p class="empty">{why}</p>, root);
}

/** How often it is tried whether vtr answers again, in ms. */
const retryMs = 3_000;

/** Says that nothing answers, and loads the page when something does. */
function awaitAnswer(error: unknown): void {
  pressEarlyKeys();
  const retry = async (): Promise<void> => {
    const isThere = await me().then(
      () => true,
      () => false,
    );
    if (isThere) location.reload();
  };
  setInterval(() => void retry(), retryMs);
  const why = error instanceof TypeError ? 'vtr does not answer' : String((error as Error).message);
  render(
    <main class="empty">
      <p role="alert">{`Not connected: ${why}. The page continues by itself when vtr does.`}</p>
      <button type="button" onClick={() => void retry()}>
        Try again
      </button>
    </main>,
    root,
  );
}

function start(allowed: Me): void {
  takeTheme(allowed.theme);
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const link = new Link(`${scheme}://${location.host}/ws`, async () => (await me()) !== null);
  const others = new Others(link, allowed);
  const app: App = {
    link,
    me: allowed,
    sessions: new SessionList(link),
    coordinator: '',
    others: others.all,
    problems: others.problems,
    warnings: others.warnings,
  };
  isPushed.value = allowed.push?.isOn ?? false;
  notifyOf(app);
  countInTitle(countsOf(app));
  if (allowed.session !== undefined) goInPlace(sessionPath(allowed.session));
  followRenames(app);
  startBlinking();
  refuseFiles();
  followKeys({
    palette: () => void later(({ openPalette }) => openPalette(app)),
    help: () => void later(({ openKeys }) => openKeys()),
  });
  loadWhenShown(app);
  render(<Page app={app} />, root);
  keepPage();
}

/** Loads the rest of the page: when the sessions are there, or at once if the address needs it. */
function loadWhenShown({ me: { scope }, sessions }: App): void {
  const load = () => ignored(loadLater(), 'it is loaded when it is needed');
  if (scope === 'share' || route.value.view !== 'grid') {
    load();
    return;
  }
  const end = effect(() => {
    if (sessions.all.value === null) return;
    setTimeout(() => {
      end();
      load();
    });
  });
}

/** The view of a session stays the same if the session gets another name. */
function followRenames(app: App): void {
  let shown: { readonly address: string; readonly id: string } | null = null;
  effect(() => {
    const { view, ...to } = route.value;
    if (!('name' in to)) return;
    const { at, name } = findApp(app, to.name);
    const info = at?.sessions.named(name) ?? null;
    const id: string | undefined = shown?.address === to.name ? shown.id : info?.id;
    const now = id === undefined ? undefined : at?.sessions.all.value?.get(id);
    shown = now === undefined ? null : { address: to.name, id: now.id };
    if (at === null || info !== null || now === undefined) return;
    const { moment } = { moment: undefined, ...to };
    const address = addressOf(at, now.name);
    goInPlace(view === 'replay' ? replayPath(address, moment) : sessionPath(address));
  });
}

function Page({ app }: { readonly app: App }) {
  const state = app.link.state.value;
  if (state === 'refused') {
    return <p class="empty">{notLoggedIn}</p>;
  }
  if (state === 'ended') return <p class="empty">This share has ended.</p>;
  return (
    <>
      {state === 'lost' && (
        <p class="lost" role="alert">
          Reconnecting… What you see may be old, and nothing is sent.
        </p>
      )}
      <Warnings all={app.warnings.value} />
      <View app={app} at={route.value} />
      <Dialogs />
      <Notices />
    </>
  );
}

/** Logins that may not be the person's own. */
function Warnings({ all }: { readonly all: readonly WebWarning[] }) {
  if (all.length === 0) return null;
  const lines = all.map(
    (each) => `${new Date(each.atMs).toLocaleTimeString()}: ${webWarningText(each)}`,
  );
  return (
    <p class="lost" role="alert">
      {`${lines.join('; ')}. ${webWarningHint.charAt(0).toUpperCase()}${webWarningHint.slice(1)}.`}
    </p>
  );
}

function View({ app, at: address }: { readonly app: App; readonly at: Route }) {
  const at = ofShare(app, address);
  if (at.view === 'grid') {
    return (
      <>
        <NameBanner app={app} />
        <Grid app={app} />
      </>
    );
  }
  if (app.me.scope === 'share' && at.view !== 'session') {
    const what = 'This link shows what happens in its session now, and nothing else.';
    return <Missing what={what} isVisitor />;
  }
  if (at.view === 'split') {
    return <Later show={({ Split }) => <Split app={app} names={at.names} />} />;
  }
  if (at.view === 'files') return <Later show={({ Recordings }) => <Recordings app={app} />} />;
  if (at.view === 'people') return <Later show={({ People }) => <People app={app} />} />;
  if (at.view === 'file') {
    const { id, moment } = at;
    return <Later show={({ FileReplay }) => <FileReplay id={id} moment={moment} />} />;
  }
  const { at: place, name } = findApp(app, at.name);
  if (place === null) return <Missing what={`The page knows no coordinator of ${at.name}.`} />;
  const { all, isSilent } = place.sessions;
  const info = place.sessions.named(name);
  if (all.value === null && isSilent.value) {
    return <Missing what={`The coordinator of ${at.name} does not answer.`} />;
  }
  if (all.value === null) return <p class="empty">Connecting…</p>;
  if (info === null) return <Missing what={`There is no session ${at.name}.`} />;
  return (
    <>
      {isSilent.value && (
        <p class="lost" role="alert">
          {`${place.coordinator} does not answer. What you see may be old, and nothing is sent.`}
        </p>
      )}
      {at.view === 'session' ? (
        <Later show={({ Focus }) => <Focus key={info.id} app={place} info={info} spot={at} />} />
      ) : (
        <Later
          show={({ SessionReplay }) => (
            <SessionReplay app={place} info={info} address={at.name} moment={at.moment} />
          )}
        />
      )}
    </>
  );
}

/** A visitor of a share sees its session, where others see all sessions. */
function ofShare({ me, sessions }: App, at: Route): Route {
  if (me.scope !== 'share' || at.view !== 'grid') return at;
  const [only] = sessions.all.value?.values() ?? [];
  return { view: 'session', name: only?.name ?? me.session ?? '' };
}

function Missing({
  what,
  isVisitor = false,
}: {
  readonly what: string;
  readonly isVisitor?: boolean;
}) {
  useEffect(() => {
    titleOfView.value = 'vtr';
    pressEarlyKeys();
  }, []);
  return (
    <main class="empty">
      <p>{what}</p>
      <a href="#/">{isVisitor ? 'The shared session' : 'All sessions'}</a>
    </main>
  );
}
