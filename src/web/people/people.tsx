import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { durationText } from '#base';
import type { WebLoginJson, WebShareJson } from '#messages';
import { errorText } from '../link/link.ts';
import { newLink } from '../link/login.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import { titleOfView } from '../page/notify.ts';
import { OwnName } from './own-name.tsx';
import { QrCode } from './qr-code.tsx';

const refreshMs = 10_000;

/** How long ago something was, for people. */
const agoText = (time: string | undefined): string =>
  time === undefined ? '' : `${durationText(Math.max(0, Date.now() - Date.parse(time)))} ago`;

/** Who is logged in and who sees shared sessions, this browser's name, and a link for another device. */
export function People({ app }: { readonly app: App }) {
  const logins = useSignal<readonly WebLoginJson[]>([]);
  const shares = useSignal<readonly WebShareJson[]>([]);
  const problem = useSignal('');
  const look = async () => {
    try {
      const [first, second] = await Promise.all([
        app.link.call('ListLogins', {}),
        app.link.call('ListShares', {}),
      ]);
      logins.value = first.logins ?? [];
      shares.value = second.shares ?? [];
      problem.value = '';
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => {
    titleOfView.value = 'People and devices · vtr';
    const end = app.link.onUp(() => void look());
    const timer = setInterval(() => void look(), refreshMs);
    return () => {
      end();
      clearInterval(timer);
    };
  }, [app]);
  const end = (call: Promise<unknown>) =>
    call.then(look).catch((error: unknown) => say(errorText(error)));
  return (
    <main class="people">
      <header class="bar">
        <a href="#/" class="back" aria-label="All sessions">
          ‹
        </a>
        <h1>People and devices</h1>
      </header>
      {problem.value !== '' && <p class="empty">{problem.value}</p>}
      <div class="cards">
        <section class="card">
          <h2>This browser</h2>
          <OwnName app={app} />
        </section>
        <OnYourPhone />
        <Logins
          all={logins.value}
          own={app.me.login?.id}
          shares={shares.value}
          onEnd={(id) => end(app.link.call('EndLogin', { id }))}
        />
        <Shares all={shares.value} onEnd={(id) => end(app.link.call('Unshare', { id }))} />
      </div>
    </main>
  );
}

/** A new link for one login as a QR code, until it expires. */
function OnYourPhone() {
  const link = useSignal<string | null>(null);
  const problem = useSignal('');
  const make = () =>
    newLink().then(
      ({ url, ms }) => {
        link.value = url;
        setTimeout(() => {
          if (link.value === url) link.value = null;
        }, ms);
      },
      (error: Error) => {
        problem.value = error.message;
      },
    );
  return (
    <section class="card">
      <h2>On your phone</h2>
      {link.value !== null && (
        <>
          <QrCode text={link.value} label="QR code of a link for one login" />
          <p class="soft">
            Scan it with the camera of your phone. It is good for one login, within a minute.
            Anybody who has it can act as you.
          </p>
        </>
      )}
      <button type="button" onClick={() => void make()}>
        {link.value === null ? 'Show a QR code' : 'Another code'}
      </button>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
    </section>
  );
}

function Logins({
  all,
  own,
  shares,
  onEnd,
}: {
  readonly all: readonly WebLoginJson[];
  readonly own: string | undefined;
  readonly shares: readonly WebShareJson[];
  readonly onEnd: (id: string) => void;
}) {
  const seenBy = (share: string | undefined) =>
    share === undefined
      ? 'everything'
      : `only ${shares.find(({ id }) => id === share)?.session ?? 'a shared session'}`;
  return (
    <section class="card">
      <h2>Logged in</h2>
      <ul class="rows">
        {all.map(({ id = '', name = '', share, used, pages = 0 }) => (
          <li key={id}>
            <span class="cut">
              <b>{name || 'A browser'}</b>
              {id === own && <span class="chip">this one</span>}
              <br />
              <small class="soft">
                {`sees ${seenBy(share)} · ${pages > 0 ? 'open now' : `used ${agoText(used)}`}`}
              </small>
            </span>
            <span class="gap" />
            <button
              type="button"
              class="danger"
              aria-label={`End the login of ${name || id}`}
              onClick={() => onEnd(id)}
            >
              {id === own ? 'Log out' : 'End'}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shares({
  all,
  onEnd,
}: {
  readonly all: readonly WebShareJson[];
  readonly onEnd: (id: string) => void;
}) {
  if (all.length === 0) return null;
  return (
    <section class="card">
      <h2>Shared sessions</h2>
      <ul class="rows">
        {all.map(({ id = '', session = '', write, until, viewers = 0 }) => (
          <li key={id}>
            <span class="cut">
              <b>{session}</b>
              <br />
              <small class="soft">
                {`${write ? 'visitors may type' : 'read-only'} · ${viewers} watching · until ${until === undefined ? '' : new Date(until).toLocaleTimeString()}`}
              </small>
            </span>
            <span class="gap" />
            <button
              type="button"
              class="danger"
              aria-label={`End the share of ${session}`}
              onClick={() => onEnd(id)}
            >
              End
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
