import { setImmediate as nextTurn } from 'node:timers/promises';
import { signal } from '@preact/signals';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from './app.ts';

const events = new EventTarget();
const address = { hash: '', reloads: 0, reload: () => void address.reloads++ };
const notices: [string, object][] = [];
const page = { hidden: true, title: '' };

const registered = {
  showNotification: async (title: string, options: object) => void notices.push([title, options]),
};
const container = Object.assign(new EventTarget(), {
  register: async () => registered,
  ready: Promise.resolve(registered),
});

vi.stubGlobal('location', address);
vi.stubGlobal('history', {
  replaceState: (_state: unknown, _title: string, path: string) => {
    address.hash = path;
  },
});
vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
vi.stubGlobal('document', page);
vi.stubGlobal('window', { Notification: {} });
vi.stubGlobal('navigator', { serviceWorker: container });
vi.stubGlobal('Notification', { permission: 'granted' });
const { findApp, addressOf } = await import('./app.ts');
const { filePath, go, goInPlace, gridPath, replayPath, route, sessionPath, splitPath } =
  await import('./route.ts');
const { countInTitle, countsOf, notifyOf, titleOfView } = await import('./notify.ts');

afterAll(() => vi.unstubAllGlobals());

describe('the address of the page', () => {
  const at = (hash: string) => {
    address.hash = hash;
    events.dispatchEvent(new Event('hashchange'));
    return route.value;
  };

  it.each([
    ['', { view: 'grid' }],
    ['#/', { view: 'grid' }],
    ['#/f', { view: 'files' }],
    ['#/f/rec-1', { view: 'file', id: 'rec-1' }],
    ['#/s/', { view: 'grid' }],
    ['#/s/%', { view: 'grid' }],
    ['#/x/one', { view: 'grid' }],
  ])('%j shows the right view', (hash, view) => {
    expect(at(hash)).toEqual(view);
  });

  it.each([
    ['#/', {}],
    ['#/?q=a+b%26c', { query: 'a b&c' }],
    ['#/?q=x&by=directory', { query: 'x', byDirectory: true }],
    ['#/?by=directory', { byDirectory: true }],
    ['#/?q=E%5Cd%2B&re=1&case=1', { query: 'E\\d+', isPattern: true, isExact: true }],
  ] as const)('%s keeps the filter of all sessions', (path, query) => {
    expect(at(path)).toEqual({ view: 'grid', ...query });
    expect(gridPath(query)).toBe(path);
  });

  it.each(['one', 'gpu:train', 'a/b', 'ä %', '#/s/x'])('has a session named %j', (name) => {
    expect(at(sessionPath(name))).toEqual({ view: 'session', name });
    expect(at(replayPath(name))).toEqual({ view: 'replay', name });
  });

  it('has a moment of a recording', () => {
    const moment = '2026-11-29T21:01:30.123Z';
    expect(replayPath('gpu:a', moment)).toBe(`#/s/gpu:a/replay?t=${moment}`);
    expect(at(replayPath('a/b', moment))).toEqual({ view: 'replay', name: 'a/b', moment });
    expect(at(filePath('rec-1', '12.5'))).toEqual({ view: 'file', id: 'rec-1', moment: '12.5' });
    expect(at('#/s/one/replay?t=')).toEqual({ view: 'replay', name: 'one' });
    expect(at('#/r/one')).toEqual({ view: 'replay', name: 'one' });
  });

  it.each([
    [sessionPath('one', { line: 12 }), { view: 'session', name: 'one', line: 12 }],
    [sessionPath('a?b', { command: 0 }), { view: 'session', name: 'a?b', command: 0 }],
    [splitPath(['one', 'gpu:two', 'a,b']), { view: 'split', names: ['one', 'gpu:two', 'a,b'] }],
    ['#/split/one,one', { view: 'split', names: ['one'] }],
    ['#/split/,', { view: 'grid' }],
    ['#/split/a,b,c,d,e,f,g', { view: 'split', names: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    ['#/s/one?line=x', { view: 'session', name: 'one' }],
  ])('%s keeps the place', (path, shown) => {
    expect(at(path)).toEqual(shown);
  });

  it('keeps a colon, which people read', () => {
    expect(sessionPath('gpu:train')).toBe('#/s/gpu:train');
  });

  it('changes by links and in place', () => {
    go('#/f');
    expect(address.hash).toBe('#/f');
    goInPlace('#/s/one');
    expect([address.hash, route.value]).toEqual(['#/s/one', { view: 'session', name: 'one' }]);
  });

  it('with a login loads the page again, and is not shown as a view', () => {
    at('#/s/one');
    expect(at('#t=token')).toEqual({ view: 'session', name: 'one' });
    expect(address.reloads).toBe(1);
  });
});

const appOf = (coordinator: string, others: readonly App[] = []): App =>
  ({ coordinator, me: { coordinator: 'own' }, others: signal(others) }) as unknown as App;

describe('the address of a session', () => {
  const gpu = appOf('gpu');
  const own = appOf('', [gpu]);

  it.each([
    ['one', own, 'one'],
    ['own:one', own, 'one'],
    ['gpu:one', gpu, 'one'],
    ['elsewhere:one', null, 'one'],
  ])('%s is found', (text, at, name) => {
    expect(findApp(own, text)).toEqual({ at, name });
  });

  it('names a coordinator only if it is another one', () => {
    expect([addressOf(own, 'one'), addressOf(gpu, 'one')]).toEqual(['one', 'gpu:one']);
  });
});

describe('a notification', () => {
  const all = signal<ReadonlyMap<string, object> | null>(null);
  const app = { ...appOf('gpu'), sessions: { all } } as unknown as App;
  const asks = (sinceMs: number, evidence = 'name:') => ({
    id: 's1',
    name: 'one',
    attention: { kind: 'input', evidence, sinceMs },
  });
  const show = async (...sessions: { readonly id: string }[]) => {
    all.value = new Map(sessions.map((each) => [each.id, each]));
    // The worker of the page is started.
    await nextTurn();
    return notices.splice(0).map(([title, { body }]: [string, { body?: string }]) => [title, body]);
  };

  beforeEach(() => {
    all.value = null;
    page.hidden = true;
  });

  it('comes once for each reason, not for those that were there before', async () => {
    const end = notifyOf(app);
    expect(await show(asks(1))).toEqual([]);
    expect(await show(asks(2, 'sure?'))).toEqual([['gpu:one', 'sure?']]);
    expect(await show(asks(2, 'sure?'))).toEqual([]);
    expect(await show({ ...asks(2), attention: undefined } as never)).toEqual([]);
    expect(await show(asks(3, ''))).toEqual([['gpu:one', 'input']]);
    end();
    expect(await show(asks(4))).toEqual([]);
  });

  it('comes only for what asks', async () => {
    const end = notifyOf(app);
    await show();
    const other = (kind: string) => ({ ...asks(1), attention: { ...asks(1).attention, kind } });
    for (const kind of ['failed', 'done', 'quiet', 'bell'])
      expect(await show(other(kind))).toEqual([]);
    expect(await show(other('password'))).toEqual([['gpu:one', 'name:']]);
    end();
  });

  it('does not come while the page is in view', async () => {
    const end = notifyOf(app);
    await show();
    page.hidden = false;
    expect(await show(asks(1))).toEqual([]);
    page.hidden = true;
    expect(await show(asks(1))).toEqual([]);
    end();
  });
});

it('[S3.32] the title of the page counts the sessions that ask, of all coordinators', () => {
  const all = (...kinds: string[]) =>
    signal(
      new Map(kinds.map((kind) => [kind, { id: kind, state: 'running', attention: { kind } }])),
    );
  const gpu = { ...appOf('gpu'), sessions: { all: all('input', 'failed') } } as unknown as App;
  const sessions = { all: all('password', 'failed', 'done', 'quiet', 'bell', 'prompt') };
  const app = { ...appOf('', [gpu]), sessions } as unknown as App;
  const counts = countsOf(app);
  expect(counts.value).toMatchObject({ asks: 2, failed: 2 });
  countInTitle(counts);
  expect(page.title).toBe('(2) vtr');
  titleOfView.value = 'one · vtr';
  expect(page.title).toBe('(2) one · vtr');
  gpu.sessions.all.value = new Map();
  sessions.all.value = new Map();
  expect(page.title).toBe('one · vtr');
});
