import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  after,
  changed,
  emptyModel,
  key,
  listed,
  modelOf,
  names,
  sessionInfo,
} from '../../../../test/support/tui/overview-model.ts';
import type { OverviewModel } from './model.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';

const asks = (evidence = 'Overwrite? [y/N]', more: object = {}) =>
  sessionInfo('asks', { state: 'awaiting_input', attention: 'input', evidence, ...more });

const several = modelOf(
  asks(),
  sessionInfo('build', { directory: '/home/me/src', command: 'make' }),
  sessionInfo('shell', { state: 'at_prompt' }),
  sessionInfo('done', { state: 'exited' }),
);

const keys = (...pressed: readonly string[]): OverviewEvent[] => pressed.map(key);
const typed = (text: string) => keys(...[...text].map((each) => (each === ' ' ? 'space' : each)));

const effectsOf = (model: OverviewModel, ...events: readonly OverviewEvent[]) =>
  after(model, ...events).effects;
const reply = (effects: readonly OverviewEffect[]) =>
  effects.map((effect) => (effect.type === 'reply' ? [effect.question.key, effect.reply] : effect));

const click = (row: number): OverviewEvent => ({
  type: 'event',
  event: { type: 'mouse', mouse: { action: 'press', row, col: 5 } },
});

describe('y and n of a question with choices', () => {
  const menu = { title: 'Run it?', options: ['Yes', 'No'], selected: 0, multiple: false, keys: '' };
  const info = asks('Run it? > Yes | No');
  const { attention } = info;
  const asking = modelOf(
    attention === undefined
      ? info
      : { ...info, attention: { ...attention, menu, questionId: 'q1' } },
  );

  it.each([
    ['y', 'yes'],
    ['n', 'no'],
  ])('%s chooses %s', (pressed, word) => {
    const [effect] = effectsOf(asking, key(pressed));
    expect(effect).toMatchObject({ reply: word, question: { question: { questionId: 'q1' } } });
  });
});

describe('keys of the overview', () => {
  it.each<[string, readonly OverviewEvent[], readonly unknown[]]>([
    ['enter', keys('enter'), [{ type: 'attach', key: '0/id-asks', as: 'auto' }]],
    ['t', keys('down', 't'), [{ type: 'attach', key: '0/id-build', as: 'take' }]],
    ['y', keys('y'), [['0/id-asks', 'y']]],
    ['n', keys('n'), [['0/id-asks', 'n']]],
    ['a line', [...keys('i'), ...typed('no way'), key('enter')], [['0/id-asks', 'no way']]],
    [
      'a paste',
      [{ type: 'event', event: { type: 'paste', text: 'x' } }, key('enter')],
      [['0/id-asks', 'x']],
    ],
    [
      'a paste of several lines with control characters',
      [{ type: 'event', event: { type: 'paste', text: 'n\x03o\r\nrm all\n' } }, key('enter')],
      [['0/id-asks', 'no rm all ']],
    ],
    ['a line that is left', [...keys(':'), ...typed('no'), key('escape')], []],
    ['y without a question', keys('down', 'y'), []],
    ['a line for a busy program', keys('down', 'i'), []],
    ['k and y', keys('down', 'k', 'y'), [{ type: 'kill', key: '0/id-build' }]],
    ['k and n', keys('down', 'k', 'n'), []],
    ['k of an ended program', keys('end', 'k', 'y'), []],
    [
      'x of the marked',
      keys('tab', 'down', 'tab', 'x', 'y'),
      ['0/id-asks', '0/id-shell'].map((each) => ({ type: 'remove', key: each })),
    ],
    [
      'a line for the marked',
      [...keys('*', 'i'), ...typed('ok'), key('enter')],
      [
        ['0/id-asks', 'ok'],
        ['0/id-shell', 'ok'],
      ],
    ],
    [
      'y where work is left',
      [{ type: 'workLeft', key: '0/id-asks', text: 'it has 1 changed file\nsee: git' }, key('y')],
      [{ type: 'discard', key: '0/id-asks' }],
    ],
    [
      'n where work is left',
      [{ type: 'workLeft', key: '0/id-asks', text: 'it has 1 changed file' }, key('n')],
      [],
    ],
    ['w', keys('down', 'w'), [{ type: 'watch', key: '0/id-build', label: 'activity' }]],
    ['c', keys('down', 'c'), [{ type: 'spawn', link: 0, cwd: '/home/me/src' }]],
    [
      'g',
      [...keys('g'), ...typed('err'), key('enter')],
      [
        {
          type: 'search',
          id: 1,
          pattern: 'err',
          keys: ['asks', 'build', 'shell', 'done'].map((each) => `0/id-${each}`),
        },
      ],
    ],
    ['q', keys('q'), [{ type: 'leave' }]],
    ['q in a filter', [...keys('/'), ...typed('q')], []],
    ['two clicks', [click(3)], []],
  ])('%s', (_, events, expected) => {
    expect(reply(effectsOf(several, ...events))).toEqual(expected);
  });

  it.each([
    ['activity', 'silence=30s'],
    ['silence=30s', 'activity,silence=30s'],
    ['activity,silence=30s,bell', 'bell'],
    ['silence=30s,activity', null],
    ['silence=5m', 'activity'],
  ])('w watches for what follows %s: %s', (before, label) => {
    const model = modelOf({ ...sessionInfo('a'), labels: { 'vtr/watch': before } });
    const { effects, state } = after(model, key('w'));
    expect(effects).toEqual([{ type: 'watch', key: '0/id-a', label }]);
    expect(state.notice?.text).toMatch(/^a: /);
  });

  it.each<[string, readonly OverviewEvent[], readonly string[]]>([
    ['/', [...keys('/'), ...typed('ma')], ['build']],
    [
      '/ and escape',
      [...keys('/'), ...typed('ma'), key('escape')],
      ['asks', 'build', 'shell', 'done'],
    ],
    ['f', keys('f'), ['asks']],
    ['s', keys('s'), ['asks', 'build', 'done', 'shell']],
    ['d twice, without labels', keys('d', 'd'), ['asks', 'build', 'shell', 'done']],
    ['d', keys('d'), ['/home/me', 'asks', 'shell', 'done', '/home/me/src', 'build']],
  ])('%s chooses what is listed', (_, events, expected) => {
    expect(names(after(several, ...events).state)).toEqual(expected);
  });

  it('are those at the same place of a keyboard without Latin letters', () => {
    const press = { key: 'е', baseLayoutKey: 't' };
    const event = { type: 'key', press, action: 'press', bytes: new Uint8Array() } as const;
    expect(effectsOf(several, { type: 'event', event })).toMatchObject([{ as: 'take' }]);
  });

  it('attaches on a second click in time, and selects on the first', () => {
    const row = 3;
    const { state: once } = after(several, click(row));
    expect(once.selected).toBe('0/id-build');
    const again = { ...once, nowMs: once.nowMs - 800 };
    expect(effectsOf(again, click(row))).toEqual([
      { type: 'attach', key: '0/id-build', as: 'auto' },
    ]);
    expect(effectsOf(once, click(row))).toEqual([]);
  });
});

describe('the selection', () => {
  it('stays at its session wherever that moves, and then at its place', () => {
    const { state: selected } = after(several, key('down'));
    expect(selected.selected).toBe('0/id-build');
    const build = sessionInfo('build', { attention: 'bell' });
    const { state: moved } = after(selected, changed(build), changed(sessionInfo('asks')));
    expect([names(moved)[0], moved.selected]).toEqual(['build', '0/id-build']);
    const removed = { type: 'removed', id: 'id-build', name: 'build' } as const;
    const { state: left } = after(moved, { type: 'sessions', link: 0, events: [removed] });
    expect(left.selected).toBe('0/id-asks');
  });

  it('is the first session until all coordinators have answered or the person moves', () => {
    const start = after(emptyModel(), listed(sessionInfo('build'))).state;
    const { state: first } = after(start, changed(asks()));
    expect(first.selected).toBe('0/id-asks');
    const { state: chosen } = after(start, key('home'), changed(asks()));
    expect(chosen.selected).toBe('0/id-build');
  });

  it('keeps its place when it was done and the person has seen that, until another one is selected', () => {
    const done = (name: string) => sessionInfo(name, { attention: 'done' });
    const model = modelOf(done('one'), done('two'), sessionInfo('busy'));
    const { state: nextModel } = after(model, key('home'), changed(sessionInfo('one')));
    expect([names(nextModel), nextModel.selected]).toEqual([['one', 'two', 'busy'], '0/id-one']);
    expect(nextModel.entries.get('0/id-one')?.info).not.toHaveProperty('attention');
    const { state: next } = after(nextModel, key('down'), changed(sessionInfo('two')));
    expect([names(next), next.selected]).toEqual([['two', 'busy', 'one'], '0/id-two']);
  });

  it('is always in view', () => {
    const many = modelOf(...Array.from({ length: 60 }, (_, n) => sessionInfo(`s${n}`)));
    for (const pressed of ['end', 'home', 'pagedown', 'pagedown', 'up', 'd']) {
      const { top, rows, selected } = after(many, key('end'), key(pressed)).state;
      const index = rows.findIndex((row) => row.type === 'session' && row.entry.key === selected);
      expect(index).toBeGreaterThanOrEqual(top);
      expect(index).toBeLessThan(top + 13);
    }
  });
});

describe('a line that nobody waits for', () => {
  it.each([
    ['no session', emptyModel(), keys('i'), 'no session is selected'],
    [
      'one',
      several,
      keys('down', 'i'),
      'build does not wait for a line: make runs; Enter attaches',
    ],
    ['two', several, keys('down', 'tab', 'end', 'tab', 'i'), 'none of 2 sessions waits for a line'],
  ])('is told for %s', (_, model, events, text) => {
    expect(after(model, ...events).state.notice?.text).toBe(text);
  });
});

describe('an answer from the list', () => {
  const text = fc.constantFrom('Overwrite a? [y/N]', 'Overwrite b? [y/N]', 'Delete all? [y/N]');
  const question = fc.record({ text, since: fc.integer({ min: 1, max: 3 }) });

  it('is sent only to the question that the person has read', () => {
    fc.assert(
      fc.property(question, question, fc.boolean(), (read, shown, isLine) => {
        const model = modelOf(asks(read.text, { sinceMs: read.since }));
        const other = changed(asks(shown.text, { sinceMs: shown.since }));
        const events = isLine
          ? [...keys('i', 'o', 'k'), other, key('enter')]
          : [other, { ...key('y') }];
        // A key comes a moment after the change: nobody has read it.
        let last = after(model, ...events.slice(0, -1)).state;
        last = { ...last, nowMs: last.nowMs - 950 };
        const { state: after1, effects } = after(last, events.at(-1) as OverviewEvent);
        const isSame = read.text === shown.text && read.since === shown.since;
        expect(effects).toHaveLength(isSame ? 1 : 0);
        if (!isSame) expect(after1.notice?.text).toMatch(/nothing was sent/);
      }),
      runs(100),
    );
  });

  it('has Enter where the program reads lines', () => {
    const [effect] = effectsOf(modelOf(asks('Go on?', { canonical: false })), key('y'));
    expect(effect).toMatchObject({ isLine: false, question: { question: { readsLines: false } } });
  });

  it('goes to no session that has ended', () => {
    const gone = sessionInfo('asks', { state: 'exited' });
    const effects = effectsOf(modelOf(asks()), ...keys('i', 'o'), listed(gone), key('enter'));
    expect(effects).toEqual([]);
  });
});

describe('the switcher', () => {
  /** The list as it begins, filtered from the first key on. */
  const switcher = (more: Partial<OverviewModel> = {}): OverviewModel => ({
    ...emptyModel(),
    isSwitcher: true,
    mode: { type: 'filter', line: { text: '', at: 0 } },
    ...more,
  });
  const all = listed(asks(), sessionInfo('build'), sessionInfo('shell'), sessionInfo('k'));

  it('goes to the best match with Enter, whatever else the letters do in the list', () => {
    const { state } = after(switcher(), all, ...typed('buil'));
    expect(names(state)).toEqual(['build']);
    expect(effectsOf(state, key('enter'))).toEqual([
      { type: 'attach', key: '0/id-build', as: 'auto' },
    ]);
    expect(effectsOf(switcher(), all, ...keys('k', 'enter'))).toMatchObject([{ key: '0/id-k' }]);
  });

  it('leaves with Escape, and not with Backspace; says that nothing matches', () => {
    expect(effectsOf(switcher(), all, key('escape'))).toEqual([{ type: 'leave' }]);
    const { state, effects } = after(switcher(), all, key('backspace'), key('b'));
    expect([state.mode.type, effects]).toEqual(['filter', []]);
    const none = after(switcher(), all, ...typed('zzz'), key('enter'));
    expect(none.effects).toEqual([]);
    expect(none.state.notice?.text).toBe('no session matches zzz');
  });

  it('lists only the sessions of a group', () => {
    const group = { name: 'b', has: ({ name }: { name: string }) => name.startsWith('b') };
    const { state } = after(switcher({ group }), all);
    expect(names(state)).toEqual(['build']);
  });

  it('refuses the session in which it runs', () => {
    const inside = after(switcher({ ownId: 'id-build' }), all, ...typed('build'), key('enter'));
    expect(inside.effects).toEqual([]);
    expect(inside.state.notice?.text).toContain('cannot show itself');
  });
});
