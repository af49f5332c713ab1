import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { ignored } from '#base';
import { type Need, needCounts, needOf, type WebWarning } from '#model';
import type { Link } from '../link/link.ts';
import { type Me, me } from '../link/login.ts';
import { SessionList } from '../sessions/session-list.ts';
import { type App, addressOf } from './app.ts';
import { go, sessionPath } from './route.ts';

const isKnown = 'Notification' in window && 'serviceWorker' in navigator;
const workerPath = '/worker.js';

/** Whether the person can be asked. Browsers allow that only when a button was pressed. */
export const mayAsk = signal(isKnown && Notification.permission === 'default');

export async function askToNotify(): Promise<void> {
  mayAsk.value = (await Notification.requestPermission()) === 'default';
}

/** Whether the server sends this browser push messages of the page's own coordinator: then the page need not notify. */
export const isPushed = signal(false);

/** Returns how many sessions of all coordinators ask, have failed and so on. */
export const countsOf = (app: App): ReadonlySignal<Partial<Record<Need, number>>> =>
  computed(() => {
    const all = [app, ...app.others.value];
    return needCounts(all.flatMap(({ sessions }) => [...(sessions.all.value?.values() ?? [])]));
  });

/** What the page shows, for its title. */
export const titleOfView = signal('vtr');

/** Shows in the title, and at the icon of an installed page, how many sessions ask. */
export function countInTitle(counts: ReadonlySignal<Partial<Record<Need, number>>>): void {
  const badge = navigator as { setAppBadge?: (count: number) => Promise<void> };
  effect(() => {
    const { asks = 0 } = counts.value;
    document.title = asks === 0 ? titleOfView.value : `(${asks}) ${titleOfView.value}`;
    ignored(badge.setAppBadge?.(asks), 'only an installed page has an icon');
  });
}

/**
 * Notifies the person once when a session begins to ask, while the page is not in view.
 *
 * @returns ends that
 */
export function notifyOf(app: App): () => void {
  let times = new Map<string, number>();
  let isFirst = true;
  return effect(() => {
    const all = app.sessions.all.value;
    if (all === null) return;
    const now = new Map<string, number>();
    for (const info of all.values()) {
      const { id, name, attention } = info;
      if (attention === undefined || needOf(info) !== 'asks') continue;
      now.set(id, attention.sinceMs);
      const isNew = !isFirst && times.get(id) !== attention.sinceMs;
      const isTold = app.coordinator === '' && isPushed.peek();
      if (isNew && document.hidden && !isTold) {
        notify(addressOf(app, name), attention.evidence || attention.kind);
      }
    }
    times = now;
    isFirst = false;
  });
}

/** Notifies the person of something about a session, if the browser may. @param name its address */
export function notify(name: string, body: string): void {
  if (!isKnown || Notification.permission !== 'granted') return;
  startedWorker()
    .then((registered) =>
      registered.showNotification(name, { body, tag: name, data: { path: sessionPath(name) } }),
    )
    // The browser refuses: the person sees the session in the page.
    .catch(() => {
      worker = null;
    });
}

let worker: Promise<ServiceWorkerRegistration> | null = null;

/** Returns the service worker, which is started first. It keeps the page for when vtr does not answer. */
export function startedWorker(): Promise<ServiceWorkerRegistration> {
  worker ??= startWorker();
  return worker;
}

/** Starts the service worker where the browser has one: at https addresses and on this machine. */
export function keepPage(): void {
  if ('serviceWorker' in navigator) ignored(startedWorker(), 'the page works without it');
}

/** The part of the browser's trusted types that is used; TypeScript does not know them. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): string };
}

async function startWorker(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('vtr', { createScriptURL: () => workerPath });
  const path = policy?.createScriptURL(workerPath) ?? workerPath;
  const container = navigator.serviceWorker;
  container.addEventListener('message', ({ data }) => go(String(data.path)));
  await container.register(path);
  return container.ready;
}

/** How often a page in view looks for containers that came and went, in ms: as often as their lists are made. */
const lookMs = 10_000;
/** How often it looks for warnings about logins, in ms. */
const warnedMs = 30_000;
/** How often the cookie is renewed, also while nobody looks at the page, in ms. */
const renewedMs = 60 * 60 * 1000;

interface Other {
  readonly app: App;
  readonly endNotices: () => void;
}

const none = signal<readonly never[]>([]);

/** The other coordinators of the page, as the server tells of them. */
export class Others {
  readonly all = signal<readonly App[]>([]);
  readonly problems = signal<readonly string[]>([]);
  /** Logins that may not be the person's own. */
  readonly warnings = signal<readonly WebWarning[]>([]);
  readonly #link: Link;
  readonly #others = new Map<string, Other>();

  constructor(link: Link, first: Me) {
    this.#link = link;
    this.#show(first);
    setInterval(() => ignored(me(), 'the connection tells whether the login is good'), renewedMs);
    if (first.scope !== 'all') return;
    setInterval(
      () => {
        if (!document.hidden && link.state.value === 'up') void this.#look();
      },
      first.isChanging === true ? lookMs : warnedMs,
    );
  }

  async #look(): Promise<void> {
    // The connection tells whether the server answers and the login is good.
    const now = await me().catch(() => null);
    if (now !== null) this.#show(now);
  }

  #show({ others = [], problems = [], warnings = [], ...allowed }: Me): void {
    for (const [name, { app, endNotices }] of this.#others) {
      if (others.includes(name)) continue;
      app.sessions.close();
      endNotices();
      this.#others.delete(name);
    }
    for (const name of others) {
      if (this.#others.has(name)) continue;
      const link = this.#link.at(name);
      const of = { link, coordinator: name, others: none, problems: none, warnings: none };
      const app: App = { ...of, me: allowed, sessions: new SessionList(link) };
      this.#others.set(name, { app, endNotices: notifyOf(app) });
    }
    this.all.value = others.flatMap((name) => this.#others.get(name)?.app ?? []);
    this.problems.value = problems;
    this.warnings.value = warnings;
  }
}
