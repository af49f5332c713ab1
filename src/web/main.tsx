import { render } from 'preact';
import { Focus } from './focus/focus.tsx';
import { Grid } from './grid/grid.tsx';
import { Link } from './link/link.ts';
import { login, type Me, me } from './link/login.ts';
import type { App } from './page/app.ts';
import { Notices } from './page/notices.tsx';
import { notifyOf } from './page/notify.ts';
import { go, type Route, route, sessionPath } from './page/route.ts';
import { recordingOfFile, recordingOfSession } from './replay/recording-source.ts';
import { Recordings } from './replay/recordings.tsx';
import { ReplayView } from './replay/replay-view.tsx';
import { SessionList } from './sessions/session-list.ts';

const root = document.getElementById('app') as HTMLElement;

try {
  const allowed = await login();
  if (allowed === null) refuse('Run vtr web and open the link that it prints.');
  else start(allowed);
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}

function refuse(why: string): void {
  render(<p class="empty">{why}</p>, root);
}

function start(allowed: Me): void {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const link = new Link(`${scheme}://${location.host}/ws`, async () => (await me()) !== null);
  const sessions = new SessionList(link);
  notifyOf(sessions);
  if (allowed.session !== undefined && route.value.view === 'grid') {
    go(sessionPath(allowed.session));
  }
  render(<Page app={{ link, sessions, me: allowed }} />, root);
}

function Page({ app }: { readonly app: App }) {
  const state = app.link.state.value;
  if (state === 'refused') {
    return <p class="empty">You are logged out. Run vtr web and open the link that it prints.</p>;
  }
  if (state === 'ended') return <p class="empty">This share has ended.</p>;
  return (
    <>
      {state === 'lost' && (
        <p class="lost" role="alert">
          Reconnecting… What you see may be old, and nothing is sent.
        </p>
      )}
      <View app={app} at={route.value} />
      <Notices />
    </>
  );
}

function View({ app, at }: { readonly app: App; readonly at: Route }) {
  if (at.view === 'grid') return <Grid app={app} />;
  if (at.view === 'files') return <Recordings app={app} />;
  if (at.view === 'file') {
    const load = () => recordingOfFile(at.id);
    return <ReplayView key={at.id} name={at.id} back="#/f" load={load} />;
  }
  const { all } = app.sessions;
  const info = app.sessions.named(at.name);
  if (all.value === null) return <p class="empty">Connecting…</p>;
  if (info === null) {
    return (
      <p class="empty">
        {`There is no session ${at.name}. `}
        <a href="#/">All sessions</a>
      </p>
    );
  }
  if (at.view === 'session') return <Focus key={info.id} app={app} info={info} />;
  const load = () => recordingOfSession(app.link, info);
  return <ReplayView key={info.id} name={info.name} back={sessionPath(info.name)} load={load} />;
}
