import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '#model';
import { neighbour, type PlacedSession, sectionsOf, withFolded } from './section-list.ts';

/** A session in a state, whose directory is `/` with the first letter of its name. */
function session(name: string, state: string, coordinator = ''): PlacedSession {
  const attentions: Record<string, string> = { asks: 'input', failed: 'failed', done: 'prompt' };
  const kind = attentions[state];
  const activities: Record<string, string> = { busy: 'running', idle: 'at_prompt' };
  const info = {
    id: name,
    name,
    cwd: `/${name[0]}`,
    state: state === 'ended' ? 'exited' : 'running',
    ...(kind !== undefined && { attention: { kind, sinceMs: 1, evidence: '' } }),
    activity: { state: activities[state] ?? 'running', evidence: {} },
  };
  return { app: { coordinator }, info: info as unknown as SessionInfo };
}

const some = [
  session('a', 'asks'),
  session('b', 'failed'),
  session('c', 'busy'),
  session('d', 'idle'),
  session('e', 'ended'),
  session('f', 'done'),
];
const usual = { byDirectory: false, isAnswered: () => false, choices: new Set<string>() };

const shown = (
  sessions: readonly PlacedSession[],
  options: Partial<Parameters<typeof sectionsOf>[1]> = {},
) =>
  sectionsOf(sessions, { ...usual, ...options }).map(({ name, sessions: all }) => [
    name,
    all.map(({ info }) => info.name).join(''),
  ]);

describe('[S3.32] the sections of the grid', () => {
  it('are by need, and what is new among the idle comes first', () => {
    expect(shown(some)).toEqual([
      ['Needs you', 'a'],
      ['Failed', 'b'],
      ['Running', 'c'],
      ['Idle', 'fde'],
    ]);
  });

  it('have those of other coordinators apart, but for those that ask', () => {
    const far = [session('x', 'asks', 'gpu'), session('y', 'busy', 'gpu')];
    expect(shown([...some.slice(0, 1), ...far])).toEqual([
      ['Needs you', 'ax'],
      ['gpu', 'y'],
    ]);
  });

  it('are by directory where that is wanted', () => {
    const far = session('c2', 'idle', 'gpu');
    expect(shown([...some.slice(0, 3), session('c1', 'idle'), far], { byDirectory: true })).toEqual(
      [
        ['Needs you', 'a'],
        ['/b', 'b'],
        ['/c', 'cc1'],
        ['gpu · /c', 'c2'],
      ],
    );
  });

  it('keep a session that was answered a moment ago where it was', () => {
    const isAnswered = ({ name }: SessionInfo) => name === 'c';
    expect(shown(some, { isAnswered })[0]).toEqual(['Needs you', 'ac']);
  });

  it('fold many idle ones, unless the person opens them', () => {
    const many = Array.from({ length: 13 }, (_, at) => session(`s${at}`, 'idle'));
    const folded = (choices: ReadonlySet<string>, sessions = many) =>
      sectionsOf(sessions, { ...usual, choices }).map(({ isFolded, isRows }) => [isFolded, isRows]);
    expect(folded(new Set())).toEqual([[true, true]]);
    expect(folded(withFolded(new Set(['-idle']), 'idle', false))).toEqual([[false, true]]);
    expect(folded(new Set(), many.slice(0, 12))).toEqual([[false, true]]);
    // Few sessions have pictures, whatever they do.
    expect(folded(new Set(), many.slice(0, 6))).toEqual([[false, false]]);
    expect(folded(new Set(['-idle']), many.slice(0, 1))).toEqual([[true, false]]);
  });
});

describe('[S3.32] the arrow keys', () => {
  // Three in a row, two in the next one.
  const places = [0, 1, 2, 3, 4].map((at) => ({ left: (at % 3) * 100, top: at < 3 ? 0 : 200 }));

  it.each([
    [0, 'right', 1],
    [2, 'right', 3],
    [4, 'right', -1],
    [0, 'left', -1],
    [1, 'down', 4],
    [2, 'down', 4],
    [4, 'up', 1],
    [0, 'up', -1],
    [4, 'down', -1],
    [-1, 'down', 0],
  ])('from %s to the %s go to %s', (from, key, to) => {
    expect(neighbour(places, from, key)).toBe(to);
  });

  it('go nowhere where nothing is', () => expect(neighbour([], -1, 'down')).toBe(-1));
});
