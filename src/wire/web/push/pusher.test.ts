import { describe, expect } from 'vitest';
import { type SessionInfo, type SessionsEvent, type Viewing, VtrError } from '#model';
import { newVapidKey, type PushOptions } from '#wire/web';
import { needs } from '../../../../test/support/run/needs.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { type ServedPage, servePage } from '../../../../test/support/web/fixture-page.ts';
import {
  PushBrowser,
  type PushService,
  servePush,
  vapidClaims,
} from '../../../../test/support/web/push-browser.ts';
import { noSessions } from '../../../../test/support/web/silent-calls.ts';
import { vapidPublicKey } from './vapid.ts';

// As the other helpers of tests, it makes certificates.
const it = needs('openssl');

const menu = { title: '', options: ['1. Yes', '2. No'], selected: 0, multiple: false, keys: '' };

const session = (name: string, more: Partial<SessionInfo> = {}): SessionInfo =>
  ({
    id: `id-${name}`,
    name,
    size: { cols: 80, rows: 24 },
    exitStatus: null,
    activity: { state: 'running', sinceMs: 0, evidence: { canonical: false } },
    ...more,
  }) as SessionInfo;

const asking = (name: string, evidence = 'git push --force?', sinceMs = 1): SessionInfo =>
  session(name, {
    attention: { kind: 'input', sinceMs, evidence, menu, questionId: `q-${evidence}` },
  });

/** A coordinator whose sessions change as a test says, and what was typed. */
class Sessions {
  readonly typed: unknown[] = [];
  refusal: VtrError | null = null;
  watches = 0;
  #waiting: ((event: IteratorResult<SessionsEvent>) => void) | null = null;
  readonly #events: SessionsEvent[] = [];

  readonly calls = {
    ...noSessions,
    info: async () => session('build'),
    view: async (_at: unknown, request: object) => {
      this.typed.push(request);
      const dispose = async () => void this.typed.push('left');
      return { id: 'view-1', dispose } as unknown as Viewing;
    },
    sendText: async (...call: unknown[]) => {
      if (this.refusal !== null) throw this.refusal;
      this.typed.push(call);
      return {} as never;
    },
    watchSessions: async () => {
      this.watches++;
      const next = () => {
        const event = this.#events.shift();
        if (event !== undefined) return Promise.resolve({ done: false as const, value: event });
        return new Promise<IteratorResult<SessionsEvent>>((resolve) => {
          this.#waiting = resolve;
        });
      };
      const dispose = () => {
        this.watches--;
        this.#waiting?.({ done: true, value: undefined });
      };
      return { [Symbol.asyncIterator]: () => ({ next }), dispose, setFrames: async () => {} };
    },
  };

  async tell(...events: SessionsEvent[]): Promise<void> {
    this.#events.push(...events);
    const waiting = this.#waiting;
    this.#waiting = null;
    const [first] = waiting === null ? [] : this.#events.splice(0, 1);
    if (first !== undefined) waiting?.({ done: false, value: first });
    await new Promise((resolve) => setImmediate(resolve));
  }

  now = (...sessions: SessionInfo[]) =>
    this.tell(...sessions.map((each) => ({ type: 'session' as const, session: each })));
}

interface Begun {
  readonly service: PushService;
  readonly page: ServedPage;
  readonly sessions: Sessions;
  readonly clock: VirtualClock;
  readonly failures: string[];
  readonly changes: unknown[];
  /** As the page asks, by the cookie of a login. */
  ask(cookie: string, path: string, body?: object): Promise<{ status: number; text: string }>;
  subscription(browser: PushBrowser, path?: string): object;
  /** Returns what the next message shows; `headers` are those of the request. */
  next(browser: PushBrowser): Promise<Record<string, unknown> & { readonly headers: object }>;
}

const key = newVapidKey();

async function begin(more: Partial<PushOptions> = {}): Promise<Begun> {
  const service = await servePush();
  const sessions = new Sessions();
  const clock = new VirtualClock();
  const failures: string[] = [];
  const onFailure = (message: string) => failures.push(message);
  const changes: unknown[] = [];
  const onChange = (...change: unknown[]) => changes.push(change);
  const pace = { quiet: null, perMinute: 6, onFailure, onChange };
  const push = { key, services: [service.origin], ca: service.ca, ...pace, ...more };
  const page = await servePage({ clock, sessions: sessions.calls, push });
  let read = 0;
  return {
    service,
    page,
    sessions,
    clock,
    failures,
    changes,
    async ask(cookie, path, body) {
      const headers = { cookie, origin: page.origin, 'content-type': 'application/json' };
      const request = body === undefined ? { method: 'DELETE' } : { method: 'POST' };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(page.origin + path, { ...request, ...text, headers });
      return { status: answer.status, text: await answer.text() };
    },
    subscription: ({ keys }, path = '/one') => ({ endpoint: service.origin + path, keys }),
    async next(browser) {
      await expect.poll(() => service.received.length).toBeGreaterThan(read);
      const message = service.received[read++];
      if (message === undefined) throw new Error('no message');
      const claims = vapidClaims(message, vapidPublicKey(key));
      expect(claims.aud).toBe(service.origin);
      expect(claims.exp * 1000 - clock.wallMs()).toBeLessThanOrEqual(24 * 3_600_000);
      return { ...JSON.parse(browser.decrypted(message.body)), headers: message.headers };
    },
  };
}

describe('[S3.32] a browser that is told of sessions by push messages', () => {
  it('gets one when a session asks, without content, and one that closes it', async () => {
    const { page, sessions, clock, ask, subscription, next, service, changes } = await begin();
    const [browser, cookie] = [new PushBrowser(), page.login()];
    expect(sessions.watches).toBe(0);
    const subscribed = await ask(cookie, '/push', { subscription: subscription(browser) });
    expect(subscribed).toEqual({ status: 204, text: '' });
    expect(await next(browser)).toMatchObject({ body: 'This device is told when a session asks' });
    expect(sessions.watches).toBe(1);
    await sessions.tell({ type: 'sessions', sessions: [asking('old'), session('build')] });
    await sessions.now(asking('build'));
    clock.advance(1_001);
    const { headers, ...shown } = await next(browser);
    expect(shown).toEqual({
      tag: 'vtr-id-build',
      title: 'vtr',
      body: 'A session asks',
      path: '#/s/build',
      asks: 2,
    });
    expect(headers).toMatchObject({
      ttl: '86400',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
      'content-encoding': 'aes128gcm',
    });
    await sessions.now(session('build'));
    const closed = await next(browser);
    expect(closed).toMatchObject({ tag: 'vtr-id-build', asks: 1 });
    expect(closed['title']).toBeUndefined();
    // It replaces the message, if the browser has not got that.
    expect(closed.headers).toMatchObject({ topic: (headers as { topic: string }).topic });
    expect(new Set(service.received.map(({ body: { length } }) => length)).size).toBe(1);
    expect((await ask(cookie, '/push')).status).toBe(204);
    await sessions.now(asking('build', 'again?', 2));
    clock.advance(2_000);
    await expect.poll(() => sessions.watches).toBe(0);
    expect(service.received).toHaveLength(3);
    const [{ id = '' } = {}] = page.access.logins;
    expect(changes).toEqual([
      [id, new URL(service.origin).host],
      [id, null],
    ]);
  });

  it('sees the question and its answers if it wants to, and answers the one that it shows', async () => {
    const { page, sessions, clock, ask, subscription, next } = await begin();
    const [browser, cookie] = [new PushBrowser(), page.login()];
    const body = { subscription: subscription(browser), content: true };
    await ask(cookie, '/push', body);
    await next(browser);
    await sessions.tell({ type: 'sessions', sessions: [] });
    await sessions.now(session('build'), asking('build'));
    clock.advance(1_001);
    expect(await next(browser)).toMatchObject({
      title: 'build waits for input',
      body: 'git push --force?',
      answers: [
        { reply: '1', title: '1 Yes' },
        { reply: '2', title: '2 No' },
      ],
      session: 'id-build',
      question: 'q-git push --force?',
    });
    const reply = { session: 'id-build', question: 'q-x', reply: '2', input: 'web-1' };
    expect((await ask(cookie, '/push/answer', reply)).status).toBe(204);
    const options = { answer: true, question: 'q-x', inputId: 'web-1', viewer: 'view-1' };
    expect(sessions.typed).toEqual([
      expect.objectContaining({
        name: 'web',
        kind: 'web',
        as: 'auto',
        size: { cols: 80, rows: 24 },
      }),
      [{ name: '', id: 'id-build' }, '2', options],
      'left',
    ]);
    sessions.refusal = new VtrError('QUESTION_CHANGED', 'another question is shown');
    const refused = { status: 409, text: 'another question is shown\n' };
    expect(await ask(cookie, '/push/answer', reply)).toEqual(refused);
    expect((await ask(cookie, '/push/answer', { reply: '2' })).status).toBe(400);
  });

  for (const status of [404, 410])
    it(`is forgotten when its push service answers ${status}`, async () => {
      const { page, sessions, clock, ask, subscription, next, service } = await begin();
      const [browser, cookie] = [new PushBrowser(), page.login()];
      await ask(cookie, '/push', { subscription: subscription(browser) });
      await next(browser);
      await sessions.tell({ type: 'sessions', sessions: [] });
      await sessions.now(session('a'), session('b'));
      service.status = status;
      await sessions.now(asking('a'));
      clock.advance(1_001);
      await next(browser);
      await expect.poll(() => page.access.logins.map(({ push }) => push)).toEqual([null]);
      await sessions.now(asking('b'));
      clock.advance(2_000);
      await expect.poll(() => sessions.watches).toBe(0);
      expect(service.received).toHaveLength(2);
    });

  it('gets no more when its login ends, and no more than others in a minute', async () => {
    const { page, sessions, clock, ask, subscription, next, service } = await begin({
      perMinute: 1,
    });
    const [browser, other] = [new PushBrowser(), new PushBrowser()];
    const [cookie, second] = [page.login(), page.login()];
    await ask(cookie, '/push', { subscription: subscription(browser) });
    await next(browser);
    const [first] = page.access.logins.filter(({ push }) => push !== null);
    await ask(second, '/push', { subscription: subscription(other, '/two') });
    await next(other);
    page.access.endLogin(first?.id ?? '');
    await sessions.tell({ type: 'sessions', sessions: [] });
    await sessions.now(session('a'), session('b'), session('c'));
    await sessions.now(asking('a'), asking('b'), asking('c'));
    clock.advance(1_001);
    expect(await next(other)).toMatchObject({ body: '3 sessions ask', tag: 'vtr-several' });
    expect(service.received.slice(2).map(({ path }) => path)).toEqual(['/two']);
  });

  it('is one login, the newest, which lasts longer than others', async () => {
    const { page, ask, subscription, next, clock } = await begin();
    const [browser, cookie, again] = [new PushBrowser(), page.login(), page.login()];
    await ask(cookie, '/push', { subscription: subscription(browser) });
    await next(browser);
    await ask(again, '/push', { subscription: subscription(browser) });
    expect(page.access.logins.map(({ push }) => push !== null)).toEqual([false, true]);
    clock.advance(13 * 3_600_000);
    expect(page.access.logins).toHaveLength(1);
    clock.advance(30 * 24 * 3_600_000);
    expect(page.access.logins).toEqual([]);
  });
});

describe('[S3.32] push messages', () => {
  it('go to public addresses by https, for logins to everything', async () => {
    const { page, ask, subscription, service } = await begin();
    const [browser, cookie] = [new PushBrowser(), page.login()];
    const subscribe = (endpoint: unknown, keys: object = browser.keys) =>
      ask(cookie, '/push', { subscription: { endpoint, keys } });
    const bad = [
      ...['http://push.example/a', 'https://127.0.0.1/a', 'https://[::1]/a', 'https://10.0.0.1/a'],
      ...['https://[::ffff:169.254.169.254]/', 'https://a:b@push.example/', 'file:///etc', 7],
    ];
    for (const endpoint of bad) {
      expect(await subscribe(endpoint)).toMatchObject({
        status: 400,
        text: expect.stringContaining('not a subscription of a push service'),
      });
    }
    const good = `${service.origin}/one`;
    expect((await subscribe(good, { ...browser.keys, auth: 'short' })).status).toBe(400);
    expect((await subscribe(good, {})).status).toBe(400);
    const begins = { line: 0, command: 0 };
    const { secret } = page.access.share({ id: 'x', name: 'x', begin: begins }, { write: true });
    const visitor = page.login(secret);
    const body = { subscription: subscription(browser) };
    expect((await ask(visitor, '/push', body)).status).toBe(403);
    expect((await ask(visitor, '/push/answer', body)).status).toBe(403);
    expect((await ask('vtr_1=none', '/push', body)).status).toBe(401);
    expect(service.received).toEqual([]);
  });

  const refused: [string, Partial<PushOptions>, string][] = [
    ['whose name is of this machine', { services: [] }, 'localhost is '],
    ['without a certificate that is known', { ca: '' }, 'certificate'],
  ];
  for (const [what, options, why] of refused)
    it(`go to no service ${what}`, async () => {
      const { page, ask, subscription, service } = await begin(options);
      const body = { subscription: subscription(new PushBrowser()) };
      expect(await ask(page.login(), '/push', body)).toEqual({
        status: 502,
        text: expect.stringContaining(why),
      });
      expect([service.received, page.access.logins[0]?.push]).toEqual([[], null]);
    });

  it('are not offered unless the page is served with them', async () => {
    const page = await servePage();
    const headers = { cookie: page.login(), origin: page.origin };
    const answer = await fetch(`${page.origin}/push`, { method: 'POST', headers, body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining('vtr web --push'),
    ]);
    const me = await fetch(`${page.origin}/me`, { headers });
    expect(await me.json()).not.toHaveProperty('push');
  });
});
