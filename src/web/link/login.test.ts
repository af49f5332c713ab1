import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoginError, login, me } from './login.ts';

type Answer = readonly [status: number, body?: unknown];

const requests: string[] = [];
const address = { hash: '', pathname: '/page' };
let answers: Record<string, Answer> = {};

beforeEach(() => {
  requests.length = 0;
  address.hash = '#t=token-1';
  vi.stubGlobal('location', address);
  vi.stubGlobal('history', {
    replaceState: (_state: unknown, _title: string, path: string) => {
      address.hash = path;
    },
  });
  vi.stubGlobal('fetch', async (path: string, { body = '' }: { body?: string } = {}) => {
    requests.push(`${path} ${body}`.trim());
    const [status, text = null] = answers[path] ?? [404];
    return typeof text === 'object' && text !== null
      ? Response.json(text, { status })
      : new Response(text as string | null, { status });
  });
});
afterEach(() => vi.unstubAllGlobals());

const own = { scope: 'all', write: true, coordinator: 'own' };

describe('a login by a link', () => {
  it('exchanges the token once, and removes it from the address', async () => {
    answers = { '/login': [204], '/me': [200, own] };
    expect(await login()).toEqual(own);
    expect(requests).toEqual(['/login {"token":"token-1"}', '/me']);
    expect(address.hash).toBe('/page#/');
  });

  it('that was used before is no error for a browser that is logged in', async () => {
    answers = { '/login': [401, 'the link was used before'], '/me': [200, own] };
    expect(await login()).toEqual(own);
  });

  it('that is refused says why, also without the token in the address', async () => {
    answers = { '/login': [401, 'the link has expired\n'], '/me': [401] };
    const refused = login();
    await expect(refused).rejects.toThrow(
      new LoginError('You are not logged in: the link has expired.'),
    );
    expect(address.hash).toBe('/page#/');
  });

  it('that was tried too often says so', async () => {
    answers = { '/login': [429], '/me': [401] };
    await expect(login()).rejects.toThrow(/Wait a minute/);
  });
});

describe('a page without a token', () => {
  beforeEach(() => {
    address.hash = '#/s/one';
  });

  it('has its cookie', async () => {
    answers = { '/me': [200, own] };
    expect([await login(), requests]).toEqual([own, ['/me']]);
  });

  it('is not logged in without one', async () => {
    answers = { '/me': [401] };
    expect([await login(), address.hash]).toEqual([null, '#/s/one']);
  });

  it('does not take a failing server for a lost login', async () => {
    answers = { '/me': [502] };
    await expect(me()).rejects.toThrow('502');
  });
});
