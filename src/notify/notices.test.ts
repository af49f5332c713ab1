import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import type { Attention, SessionInfo, Viewer } from '#model';
import { Notices, type Told } from './notices.ts';

const ann: Viewer = { name: 'ann', kind: 'attach', sinceMs: 0, size: { cols: 80, rows: 24 } };
const question: Attention = { kind: 'input', sinceMs: 1, evidence: 'Overwrite?' };
const failure: Attention = { kind: 'failed', sinceMs: 2, evidence: 'make: exited with status 2' };

const wanting = (attention: Attention | null, viewers: readonly Viewer[] = []) =>
  ({
    id: 'id',
    name: 'build',
    ...defined({ attention }),
    ...(viewers.length > 0 && { viewers }),
  }) as SessionInfo;

const menu = { title: '', options: ['1. Yes', 'No'], selected: 0, multiple: false, keys: '' };
const asking = {
  ...wanting(question),
  agent: {
    kind: 'codex',
    state: 'asks',
    sinceMs: 1,
    turn: 0,
    question: 'Overwrite?',
    menu,
    evidence: [],
    rules: 'vtr',
  },
} as SessionInfo;

type Step = readonly [info: SessionInfo, told: readonly string[]];

const line = 'build waits for input: Overwrite?';
const nothing = wanting(null);

const table: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  [
    'each beginning once',
    [
      [nothing, []],
      [wanting(question), [line]],
      [wanting(question), []],
    ],
  ],
  [
    'the same question again',
    [
      [nothing, []],
      [wanting(question), [line]],
      [nothing, []],
      [wanting({ ...question, sinceMs: 9 }), [line]],
    ],
  ],
  [
    'not what there is at the beginning',
    [
      [wanting(question), []],
      [nothing, []],
    ],
  ],
  [
    'another reason',
    [
      [wanting(question), []],
      [wanting(failure), ['build failed: make: exited with status 2']],
    ],
  ],
  [
    'not of a session in view, nor when the viewer leaves',
    [
      [nothing, []],
      [wanting(question, [ann]), []],
      [wanting(question), []],
    ],
  ],
  [
    'of a session whose viewer is away',
    [
      [nothing, []],
      [wanting(question, [{ ...ann, away: true }]), [line]],
    ],
  ],
  [
    'the question of an agent, with its choices',
    [
      [nothing, []],
      [asking, ['build asks: "Overwrite?" 1 Yes 2 No']],
    ],
  ],
  [
    'no notification of another vtr notify',
    [
      [nothing, []],
      [wanting({ kind: 'notification', sinceMs: 3, evidence: `${line}` }), []],
    ],
  ],
];

/** What a process tells of a session that is there at its beginning, and delivers at 5,000. */
function tellAll(
  before: ReadonlyMap<string, Told> | null,
  sinceMs: number | null,
  info: SessionInfo,
) {
  const notices = new Notices(null, { bySession: before, sinceMs });
  notices.note(info, true, 0);
  const due = notices.due(5_000, ({ name }) => name);
  for (const notice of due) notices.delivered(notice, 5_000);
  return {
    titles: due.map(({ title }) => title),
    missed: due.map(({ about }) => about?.isMissed),
    told: new Map([...(before ?? []), ...(notices.takeTold() ?? [])]),
  };
}

describe('vtr notify tells', () => {
  for (const [what, steps] of table) {
    it(what, () => {
      const notices = new Notices(null);
      let nowMs = 0;
      for (const [info, expected] of steps) {
        notices.note(info, nowMs === 0, nowMs);
        nowMs += 5_000;
        const due = notices.due(nowMs, ({ name }) => name);
        expect(due.map(({ title, text }) => `${title}: ${text}`)).toEqual(expected);
      }
    });
  }

  it('only what lasts for a second', () => {
    const notices = new Notices(null);
    notices.note(nothing, true, 0);
    notices.note(wanting(question), false, 100);
    expect(notices.nextMs(100)).toBe(1_000);
    expect(notices.due(900, String)).toEqual([]);
    notices.note(nothing, false, 950);
    expect(notices.due(2_000, String)).toEqual([]);
    expect(notices.nextMs(2_000)).toBeNull();
  });

  it('nothing of its own session, and nothing again after its coordinator came back', () => {
    const own = new Notices('id');
    own.note(nothing, true, 0);
    own.note(wanting(question), false, 0);
    expect(own.due(5_000, String)).toEqual([]);
    const notices = new Notices(null);
    notices.note(nothing, true, 0);
    notices.note(wanting(question), false, 0);
    expect(notices.due(5_000, String)).toHaveLength(1);
    notices.lose('id');
    expect(notices.due(6_000, String)).toEqual([]);
    notices.note(wanting(question), false, 7_000);
    expect(notices.due(9_000, String)).toEqual([]);
  });

  it('what there is at the beginning and began while nothing ran, and in the next process not what was told', () => {
    const run = tellAll;
    const first = run(null, null, nothing);
    expect(first.titles).toEqual([]);
    const missed = run(first.told, null, wanting(question));
    expect([missed.titles, missed.missed]).toEqual([['build waits for input'], [true]]);
    expect(run(missed.told, null, wanting(question)).titles).toEqual([]);
    expect(run(missed.told, null, wanting(failure)).titles).toEqual(['build failed']);
    // Told at 5,000: told again to who knows nothing after 4,999.
    expect(run(missed.told, 4_999, wanting(question)).titles).toEqual(['build waits for input']);
    expect(run(missed.told, 5_000, wanting(question)).titles).toEqual([]);
    // The first time, what began after a time.
    expect(run(null, 0, wanting(question)).titles).toEqual(['build waits for input']);
    expect(run(null, 1, wanting(question)).titles).toEqual([]);
    // Somebody looks.
    const result = run(first.told, null, wanting(question, [ann]));
    expect(result.titles).toEqual([]);
    expect(run(result.told, null, wanting(question)).titles).toEqual([]);
  });

  it('what was not delivered again in the next process', () => {
    const notices = new Notices(null, { bySession: new Map(), sinceMs: null });
    notices.note(wanting(question), true, 0);
    expect(notices.due(5_000, ({ name }) => name)).toHaveLength(1);
    expect(tellAll(notices.takeTold() ?? new Map(), null, wanting(question)).titles).toHaveLength(
      1,
    );
  });
});
