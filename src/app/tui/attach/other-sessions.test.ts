import { expect, it } from 'vitest';
import { defined } from '#base';
import type { AttentionKind, SessionInfo } from '#model';
import { sessionInfo } from '../../../../test/support/tui/overview-model.ts';
import { OtherSessions } from './other-sessions.ts';

const wanting = (name: string, attention?: AttentionKind, evidence = 'why', sinceMs = 1) =>
  sessionInfo(name, { evidence, sinceMs, ...defined({ attention }) });

const byId = (...infos: readonly SessionInfo[]) => new Map(infos.map((info) => [info.id, info]));

/** What is told of some sessions while one of them is in view. */
function teller(rings = false) {
  const others = new OtherSessions(rings);
  let nowMs = 0;
  return (view: string, ...infos: readonly SessionInfo[]) => {
    nowMs += 10_000;
    const { others: names, news, rang } = others.note(byId(...infos), `id-${view}`, nowMs);
    return { names, news: news.map(({ name, does }) => `${name} ${does}`), rang };
  };
}

it('each beginning is told once, also when the person goes from session to session', () => {
  const tell = teller();
  const [own, quiet] = [wanting('own'), wanting('api')];
  const asks = wanting('api', 'input', 'Overwrite?');
  expect(tell('own', own, quiet)).toMatchObject({ names: [], news: [] });
  const others = { names: ['api'], news: ['api waits for input: Overwrite?'] };
  expect(tell('own', own, asks)).toMatchObject(others);
  expect(tell('own', own, asks)).toMatchObject({ names: ['api'], news: [] });
  // It is in view, and then not.
  expect(tell('api', own, asks)).toMatchObject({ names: [], news: [] });
  expect(tell('own', own, asks)).toMatchObject({ names: ['api'], news: [] });
  // It was answered, and asks again.
  expect(tell('own', own, quiet)).toMatchObject({ names: [], news: [] });
  expect(tell('own', own, asks)).toMatchObject(others);
  const fails = wanting('api', 'failed', 'make');
  expect(tell('own', own, fails)).toMatchObject({ news: ['api failed: make'] });
  expect(tell('own', own)).toMatchObject({ names: [], news: [] });
});

it('what the session in view wants is not news when the person leaves it', () => {
  const tell = teller();
  const asks = wanting('api', 'input');
  expect(tell('api', asks, wanting('own'))).toMatchObject({ news: [] });
  expect(tell('own', asks, wanting('own'))).toMatchObject({ names: ['api'], news: [] });
});

it.each<[AttentionKind, rings: boolean, names: readonly string[]]>([
  ['notification', false, ['api']],
  ['activity', false, ['api']],
  ['silence', false, ['api']],
  ['quiet', true, []],
  ['bell', true, ['api']],
  ['bell', false, []],
])('of %s, with all bells: %s, the names are %j', (kind, rings, names) => {
  expect(teller(rings)('own', wanting('own'), wanting('api', kind)).names).toEqual(names);
});

it('a bell counts if the session is watched for that', () => {
  const info = { ...wanting('api', 'bell'), labels: { 'vtr/watch': 'bell' } };
  expect(teller()('own', wanting('own'), info).names).toEqual(['api']);
});

it('bells of other sessions ring on request, each once, and not those of before', () => {
  const rung = (name: string, bellAtMs: number) => ({ ...wanting(name), bellAtMs });
  const tell = teller(true);
  expect(tell('own', rung('own', 1), rung('api', 5)).rang).toBe(false);
  expect(tell('own', rung('own', 2), rung('api', 5)).rang).toBe(false);
  expect(tell('own', rung('own', 2), rung('api', 6)).rang).toBe(true);
  expect(tell('own', rung('own', 2), rung('api', 6)).rang).toBe(false);
  // Of a session that has just been made.
  expect(tell('own', rung('own', 2), rung('api', 6), rung('new', 7)).rang).toBe(true);
  const none = teller();
  none('own', rung('own', 2), rung('api', 5));
  expect(none('own', rung('own', 2), rung('api', 6)).rang).toBe(false);
});

it('many bells ring at most once a second', () => {
  const others = new OtherSessions(true);
  const ring = (nowMs: number, bellAtMs: number) =>
    others.note(byId({ ...wanting('api'), bellAtMs }), 'id-own', nowMs).rang;
  expect([ring(0, 1), ring(10, 2), ring(900, 3), ring(1_010, 4)]).toEqual([
    ...[false, true],
    ...[false, true],
  ]);
});
