import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import type { Attention, SessionInfo, Viewer } from '#model';
import { Notices, oscOf } from './notices.ts';

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

const told = 'build waits for input: Overwrite?';
const nothing = wanting(null);

const table: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  [
    'each beginning once',
    [
      [nothing, []],
      [wanting(question), [told]],
      [wanting(question), []],
    ],
  ],
  [
    'the same question again',
    [
      [nothing, []],
      [wanting(question), [told]],
      [nothing, []],
      [wanting({ ...question, sinceMs: 9 }), [told]],
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
      [wanting(question, [{ ...ann, away: true }]), [told]],
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
      [wanting({ kind: 'notification', sinceMs: 3, evidence: `${told}` }), []],
    ],
  ],
];

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

  it('by an OSC 777 with a title that has no semicolon', () => {
    expect(oscOf({ title: 'a;b failed', text: 'x;y' })).toBe(
      '\x1b]777;notify;a,b failed;x;y\x1b\\',
    );
  });
});
