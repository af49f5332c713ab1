import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsText } from '#model';
import type { Picture, TtyKey } from '#tty';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  after,
  anyPaneEvents,
  emptyModel,
  key,
  listed,
  mouse,
  panesModelOf,
  sessionInfo,
} from '../../../../test/support/tui/overview-model.ts';
import { Keys } from '../keys.ts';
import { noPanes, paneIds, seenPanes } from '../panes/panes.ts';
import { oneTab } from '../panes/tabs.ts';
import { draw } from './draw.ts';
import { panesLayoutOf, showsPanes } from './layout.ts';
import type { OverviewModel } from './model.ts';
import { DrawnParts } from './spans.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';

const sessions = [
  sessionInfo('api', { attention: 'input', evidence: 'Overwrite? [y/N]', state: 'awaiting_input' }),
  sessionInfo('build', { command: 'make' }),
  sessionInfo('web', { directory: '/home/me/src' }),
];
const listedModel = panesModelOf(...sessions);

const leader = (...keys: readonly string[]): OverviewEvent[] =>
  keys.flatMap((each) => [key('ctrl+b'), key(each)]);

/** A session was started, as `%` and `"` ask for. */
const started = (
  name: string,
  opens: 'here' | 'row' | 'column' | 'tab' = 'row',
): OverviewEvent => ({
  type: 'spawned',
  link: 0,
  info: sessionInfo(name),
  opens,
});

/** api on the left; web above build on the right, with the focus in build. */
const three = after(
  listedModel,
  key('enter'),
  started('web', 'row'),
  started('build', 'column'),
).state;

const shown = ({ panes }: OverviewModel): string[] =>
  panes === null ? [] : paneIds(panes).map((id) => panes.byId.get(id)?.session.name ?? '?');
const focusOf = ({ panes }: OverviewModel): string =>
  panes?.byId.get(panes.focus)?.session.name ?? '';
const rowsOf = (model: OverviewModel): string[] => draw(model).rows.map(cellsText);
const effectsOf = (
  model: OverviewModel,
  ...events: readonly OverviewEvent[]
): readonly OverviewEffect[] => after(model, ...events).effects;

/** Where a text is in the window; the place of its first character. */
function placeOf(model: OverviewModel, text: string): { row: number; col: number } {
  const rows = rowsOf(model);
  const row = rows.findIndex((each) => each.includes(text));
  if (row === -1) throw new Error(`${text} is not shown in\n${rows.join('\n')}`);
  return { row, col: rows[row]?.indexOf(text) ?? 0 };
}

const click = (place: { row: number; col: number }): OverviewEvent[] => [
  mouse({ action: 'press', ...place }),
  mouse({ action: 'release', ...place }),
];

const dragging = (
  from: { row: number; col: number },
  to: { row: number; col: number },
): OverviewEvent[] => [
  mouse({ action: 'press', ...from }),
  mouse({ action: 'move', button: 'left', ...to }),
  mouse({ action: 'release', ...to }),
];

/** The model with keys of the configuration. */
const withKeys = (written: Readonly<Record<string, unknown>>): OverviewModel => ({
  ...three,
  keys: new Keys({ key: 'b', ctrl: true }, written),
});

describe('keys of the configuration in panes', () => {
  const direct = withKeys({
    direct: { left: 'alt+left', next: 'alt+o', pane: ['f1', 'f2'], next_session: 'alt+right' },
  });

  it('without the leader change the panes', () => {
    const focusAfter = (...keys: readonly string[]) =>
      focusOf(after(direct, ...keys.map(key)).state);
    expect([focusAfter('alt+left'), focusAfter('alt+o'), focusAfter('f2')]).toEqual([
      'api',
      'api',
      'web',
    ]);
    expect(effectsOf(direct, key('alt+left'))).toEqual([]);
    expect(rowsOf(after(direct, key('f9')).state).at(-1)).not.toContain('there is no');
    const released: OverviewEvent = {
      type: 'event',
      event: { ...(key('alt+left') as { event: TtyKey }).event, action: 'release' },
    };
    expect(effectsOf(direct, released)).toEqual([]);
  });

  it('without the leader are for the session with the focus, not for all that are marked', () => {
    const marked = after(direct, ...leader('Y')).state;
    const panesOf = (event: OverviewEvent) =>
      effectsOf(marked, event).map((effect) => (effect.type === 'toPanes' ? effect.panes : []));
    expect(panesOf(key('x'))).toEqual([[3, 1, 2]]);
    expect(panesOf(key('alt+right'))).toEqual([[3]]);
  });

  it('without the leader leave the list', () => {
    const inBar = after(direct, ...leader('s')).state;
    const { state } = after(inBar, key('alt+left'));
    expect([focusOf(state), state.hasBarKeys]).toEqual(['api', false]);
    const inList = after(direct, ...leader('d')).state;
    expect(showsPanes(after(inList, key('alt+left')).state)).toBe(true);
  });

  it('can be sequences, of the panes and of the session', () => {
    const keys = withKeys({ panes: { left: 'v h' }, attach: { next_session: 'v n' } });
    const waits = after(keys, key('ctrl+b'), key('v')).state;
    expect(rowsOf(waits).at(-1)).toMatch(
      /^ Ctrl\+b v … {2}Esc leaves · h go to the pane on the left · n the next session, from /,
    );
    expect(focusOf(after(waits, key('h')).state)).toBe('api');
    const keysOf = effectsOf(waits, key('n')).map((effect) =>
      effect.type === 'toPanes' && effect.event.type === 'key' ? effect.event.press.key : null,
    );
    expect(keysOf).toEqual(['b', 'v', 'n']);
    const end = after(waits, key('escape'));
    expect([end.effects, end.state.leading]).toEqual([[], null]);
  });
});

describe('panes of vtr ui', () => {
  it('show the sessions that are opened, beside the side bar', () => {
    expect([shown(three), focusOf(three)]).toEqual([['api', 'web', 'build'], 'build']);
    const rows = rowsOf(three);
    expect(rows[0]).toMatch(/^ vtr {2}1 wants you .*│─ 1 api {2}Overwrite\? \[y\/N\] ─+┬─ 2 web /);
    expect(rows[1]).toMatch(/^ ~ {2}1 asks, 1 busy +│/);
    expect(rows[2]).toMatch(/^ {2}\? api Overwrite\? \[y\/N\] +1│/);
    expect(rows[3]).toMatch(/^▌ {3}build running +3│/);
    expect(rows.find((row) => row.includes('3 build'))).toMatch(/│ +├─ 3 build {2}running ─+$/);
  });

  it.each<[string, readonly OverviewEvent[], string, readonly string[]]>([
    ['left and right', leader('left'), 'api', ['api', 'web', 'build']],
    ['up', leader('up'), 'web', ['api', 'web', 'build']],
    ['letters', leader('h', 'l'), 'build', ['api', 'web', 'build']],
    ['numbers', leader('1'), 'api', ['api', 'web', 'build']],
    ['next, around', leader('tab'), 'api', ['api', 'web', 'build']],
    ['the last', leader('1', ';'), 'build', ['api', 'web', 'build']],
    ['swap', leader('shift+left'), 'build', ['build', 'web', 'api']],
    ['swap with the next', leader('}'), 'build', ['build', 'web', 'api']],
    ['close', leader('x'), 'web', ['api', 'web']],
    ['close all', leader('x', 'x', 'x'), '', []],
  ])('are moved in by keys: %s', (_, events, focus, names) => {
    const { state } = after(three, ...events);
    expect([focusOf(state), shown(state)]).toEqual([focus, names]);
    expect(showsPanes(state)).toBe(names.length > 0);
  });

  it('pass all other keys on, with the leader those of attach, and do not change', () => {
    const [only] = effectsOf(three, key('a'));
    expect(only).toMatchObject({
      type: 'toPanes',
      panes: [three.panes?.focus],
      event: { press: { key: 'a' } },
    });
    expect(after(three, key('a')).state).toBe(three);
    expect(effectsOf(three, ...leader('t'))).toMatchObject([
      { event: { press: { key: 'b', ctrl: true } } },
      { event: { press: { key: 't' } } },
    ]);
    expect(effectsOf(three, ...leader('ctrl+b'))).toHaveLength(2);
  });

  it('share what is typed in a marked one', () => {
    const { state } = after(three, ...leader('y', '1', 'y'), key('escape'));
    const [typed] = effectsOf(state, key('a'));
    expect(typed).toMatchObject({ panes: [1, 3] });
    const { state: other } = after(state, ...leader('2'), key('escape'));
    expect(effectsOf(other, key('a'))).toMatchObject([{ panes: [2] }]);
    expect(rowsOf(state).filter((row) => row.includes('shared input'))).toHaveLength(2);
  });

  it('are split by a shell in the same directory', () => {
    expect(effectsOf(three, ...leader('2', '%'))).toEqual([
      { type: 'spawn', link: 0, cwd: '/home/me/src', opens: 'row' },
    ]);
    const small = after(three, { type: 'window', size: { cols: 40, rows: 10 } }).state;
    const { state, effects } = after(small, ...leader('"'));
    expect([effects, state.notice?.text]).toEqual([[], 'no room for another pane']);
  });

  it('show a session that has a pane there', () => {
    const { state } = after(three, ...click(placeOf(three, '? api')));
    expect([focusOf(state), shown(state)]).toEqual(['api', ['api', 'web', 'build']]);
  });

  it('say that a session does not exist, and start one of its name', () => {
    const gone = after(three, listed(...sessions.slice(0, 2)), {
      type: 'paneEnded',
      pane: 3,
      end: { type: 'lost', reason: 'it has gone' },
    }).state;
    placeOf(gone, 'it has gone: Enter tries again');
    expect(effectsOf(gone, key('a'))).toEqual([]);
    const { state } = after(gone, key('enter'));
    expect([focusOf(state), [...(state.panes?.byId.keys() ?? [])]]).toEqual(['build', [1, 2, 4]]);
  });
});

describe('the mouse in panes', () => {
  it('gives the focus, and goes to the program at its place', () => {
    const place = { row: 4, col: 40 };
    const { state, effects } = after(three, mouse({ action: 'press', ...place }));
    expect(focusOf(state)).toBe('api');
    const { space } = panesLayoutOf(three);
    expect(effects).toEqual([
      {
        type: 'toPanes',
        panes: [1],
        event: {
          type: 'mouse',
          mouse: { action: 'press', row: place.row - space.row, col: place.col - space.col },
        },
      },
    ]);
    // The button is released over another pane.
    expect(effectsOf(state, mouse({ action: 'release', row: 20, col: 99 }))).toMatchObject([
      { panes: [1], event: { mouse: { row: 19, col: 33 } } },
    ]);
  });

  it('drags borders', () => {
    const placesOf = (model: OverviewModel) =>
      seenPanes(model.panes ?? noPanes(), panesLayoutOf(model).space).map(({ cols, rows }) => [
        cols,
        rows,
      ]);
    expect(placesOf(three)).toEqual([
      [34, 29],
      [34, 14],
      [34, 14],
    ]);
    const { col } = placeOf(three, '├');
    const wider = after(three, ...dragging({ row: 3, col }, { row: 3, col: col - 10 })).state;
    expect(placesOf(wider)).toEqual([
      [24, 29],
      [44, 14],
      [44, 14],
    ]);
    const line = placeOf(three, '├').row;
    const lower = after(
      three,
      ...dragging({ row: line, col: 95 }, { row: line + 5, col: 95 }),
    ).state;
    expect(placesOf(lower)[2]).toEqual([34, 9]);
    const bar = after(three, ...dragging({ row: 9, col: 30 }, { row: 9, col: 20 })).state;
    expect([bar.bar.cols, placesOf(bar)[0]]).toEqual([20, [39, 29]]);
  });

  it('swaps panes by their titles, and zooms at a double click', () => {
    const [api, build] = [placeOf(three, '1 api'), placeOf(three, '3 build')];
    expect(shown(after(three, ...dragging(api, build)).state)).toEqual(['build', 'web', 'api']);
    const once = after(three, ...click(api)).state;
    const twice = after({ ...once, nowMs: once.nowMs - 1950 }, ...click(api)).state;
    expect([once.panes?.isZoomed, twice.panes?.isZoomed]).toEqual([false, true]);
    placeOf(twice, 'zoomed, 2 hidden');
  });

  it('opens a menu with the right button, for the pane under it', () => {
    const at = { row: 5, col: 40 };
    const open = after(
      three,
      mouse({ action: 'press', button: 'right', ...at }),
      mouse({ action: 'release', button: 'right', ...at }),
    ).state;
    expect(open.menu?.items.map(({ label }) => label)).toContain('Zoom');
    const zoomed = after(open, ...click(placeOf(open, 'Zoom'))).state;
    expect([zoomed.menu, focusOf(zoomed), zoomed.panes?.isZoomed]).toEqual([null, 'api', true]);
    const closed = after(open, ...click({ row: 20, col: 90 })).state;
    expect([closed.menu, focusOf(closed)]).toEqual([null, 'build']);
    const byKeys = after(open, key('down'), key('down'), key('enter')).state;
    expect(byKeys.panes?.isZoomed).toBe(true);
  });

  it('passes the right button on with ctrl', () => {
    const at = { row: 5, col: 40 };
    const { state, effects } = after(
      three,
      mouse({ action: 'press', button: 'right', ctrl: true, ...at }),
    );
    expect(state.menu).toBeNull();
    expect(effects).toMatchObject([{ panes: [1], event: { mouse: { button: 'right' } } }]);
    expect(effects[0]).not.toHaveProperty('event.mouse.ctrl');
  });

  it('opens sessions of the side bar, by the menu also in new panes', () => {
    const one = after(listedModel, key('enter')).state;
    const web = placeOf(one, 'web');
    expect(shown(after(one, ...click(web)).state)).toEqual(['web']);
    const menu = after(one, mouse({ action: 'press', button: 'right', ...web })).state;
    const below = after(menu, ...click(placeOf(menu, 'Open below'))).state;
    expect(shown(below)).toEqual(['api', 'web']);
  });
});

describe('the side bar', () => {
  it('has the branch of a project, unless the projects are labels', () => {
    const info = sessionInfo('api');
    const activity = { ...info.activity, branch: 'main' } as NonNullable<typeof info.activity>;
    const model = panesModelOf({ ...info, activity, labels: { team: 'a' } });
    const open = after(model, key('enter')).state;
    expect(rowsOf(open)[1]).toMatch(/^ ~ \(main\) {2}1 busy +│/);
    const byLabel = after(open, ...leader('s'), key('d'), key('d')).state;
    expect(rowsOf(byLabel)[1]).toMatch(/^ a {2}1 busy +│/);
  });

  it('has how far the branch of a project is ahead and behind', () => {
    const info = sessionInfo('web', { directory: '/home/me/src' });
    const activity = { ...info.activity, branch: 'main' } as NonNullable<typeof info.activity>;
    const begun = after(panesModelOf({ ...info, activity }), key('enter')).state;
    const tracked = (tracking: { ahead: number; behind: number } | null): OverviewEvent => ({
      type: 'tracking',
      directory: '/home/me/src',
      tracking,
    });
    const differs = after(begun, tracked({ ahead: 2, behind: 1 })).state;
    expect(rowsOf(differs)[1]).toContain(' ~/src (main) ↑2 ↓1');
    for (const same of [tracked({ ahead: 0, behind: 0 }), tracked(null)])
      expect(rowsOf(after(differs, same).state)[1]).toMatch(/^ ~\/src \(main\) {2}\d/);
  });

  it('opens all sessions of a project by its menu', () => {
    const project = { row: 1, col: 1 };
    const menu = after(three, mouse({ action: 'press', button: 'right', ...project })).state;
    const { state } = after(menu, ...click(placeOf(menu, 'Open all its sessions')));
    expect([shown(state), focusOf(state)]).toEqual([['api', 'build'], 'api']);
  });

  it('is scrolled by the wheel, and stays where it is while panes are used', () => {
    const many = Array.from({ length: 60 }, (_, n) => sessionInfo(`s${n}`));
    const model = after(panesModelOf(...many), key('enter')).state;
    const down = mouse({ action: 'scrollDown', row: 5, col: 5 });
    const { state } = after(model, down, down);
    expect([model.top, state.top]).toEqual([0, 6]);
    expect(after(state, ...click({ row: 5, col: 80 }), ...leader('y')).state.top).toBe(6);
    expect(after(state, ...click({ row: 5, col: 5 })).state.panes?.byId.get(2)?.session.name).toBe(
      's17',
    );
  });

  it('has the keys of the list after the leader and s, and returns them', () => {
    const keys = after(three, ...leader('s'), key('down')).state;
    expect(keys.hasBarKeys).toBe(true);
    const opened = after(keys, key('enter')).state;
    expect([opened.hasBarKeys, showsPanes(opened)]).toEqual([false, true]);
    const left = after(keys, key('q')).state;
    expect([left.hasBarKeys, focusOf(left)]).toEqual([false, 'build']);
    expect(effectsOf(keys, key('home'), key('y'))).toMatchObject([{ type: 'reply' }]);
  });

  it('is hidden and widened, and absent from narrow windows', () => {
    const colsOf = (model: OverviewModel) => panesLayoutOf(model).bar?.cols ?? 0;
    expect(colsOf(three)).toBe(30);
    expect(colsOf(after(three, ...leader('b')).state)).toBe(0);
    expect(colsOf(after(three, ...leader('>', '>')).state)).toBe(34);
    const narrow = after(three, { type: 'window', size: { cols: 40, rows: 20 } }).state;
    expect(colsOf(narrow)).toBe(0);
    // A small window shows one pane at a time.
    expect(rowsOf(narrow)[0]).toMatch(/^─ 3 build {2}1 of 3 shown {2}running ─+$/);
    expect(rowsOf(after(narrow, ...leader('tab')).state)[0]).toMatch(/^─ 1 api {2}1 of 3 shown/);
    const list = after(narrow, ...leader('s')).state;
    expect(showsPanes(list)).toBe(false);
    expect(showsPanes(after(list, key('escape')).state)).toBe(true);
  });
});

/** The first thing that is wrong with a picture; empty if nothing is. */
function fault({ size, rows, cursor }: Picture): string {
  if (rows.length !== size.rows) return `${rows.length} rows of ${size.rows}`;
  for (const [row, cells] of rows.entries()) {
    if (cells.length !== size.cols) return `${cells.length} columns in row ${row}`;
    for (const [col, { width, text }] of cells.entries()) {
      const isSplit = (width === 2) !== (cells[col + 1]?.width === 0);
      if (isSplit || /\p{Cc}/u.test(text)) return `${JSON.stringify(text)} at ${row},${col}`;
    }
  }
  const isIn =
    cursor.row >= 0 && cursor.col >= 0 && cursor.row < size.rows && cursor.col < size.cols;
  return isIn ? '' : JSON.stringify(cursor);
}

describe('tabs', () => {
  const tabsOf = (model: OverviewModel): string[] =>
    (rowsOf(model)[0] ?? '')
      .slice(31)
      .split(/ {2,}/)
      .map((each) => each.trim());
  /** api in the first tab; web and build in the second one, which is shown. */
  const two = after(
    listedModel,
    key('enter'),
    started('web', 'tab'),
    started('build', 'column'),
  ).state;

  it('are asked for by a key, with a shell in the same directory', () => {
    expect(effectsOf(three, ...leader('c'))).toEqual([
      { type: 'spawn', link: 0, cwd: '/home/me', opens: 'tab' },
    ]);
  });

  it('have a row above the panes, called after the directory or by a person', () => {
    expect(shown(two)).toEqual(['web', 'build']);
    expect(tabsOf(two)).toEqual(['1 ~ ?', '2 ~', '+']);
    const named = after(two, ...leader('A'), key('o'), key('p'), key('enter')).state;
    expect(tabsOf(named)).toEqual(['1 ~ ?', '2 op', '+']);
    expect(rowsOf(three)[0]).not.toContain(' + ');
  });

  it('are gone to by keys, by their numbers, and moved', () => {
    const first = after(two, ...leader('alt+n')).state;
    expect(shown(first)).toEqual(['api']);
    expect(shown(after(first, ...leader('alt+2')).state)).toEqual(['web', 'build']);
    expect(shown(after(first, ...leader('alt+l')).state)).toEqual(['web', 'build']);
    expect(shown(after(first, ...leader('alt+p')).state)).toEqual(['web', 'build']);
    const moved = after(two, ...leader('alt+{', 'alt+p')).state;
    expect([moved.otherTabs.before.length, shown(moved)]).toEqual([1, ['api']]);
    expect(after(two, ...leader('alt+9')).state.notice?.text).toBe('there is no tab 9');
  });

  it('are chosen, made, moved, named and closed by the mouse', () => {
    const first = placeOf(two, ' 1 ~');
    const atFirst = after(two, ...click(first)).state;
    expect(shown(atFirst)).toEqual(['api']);
    expect(effectsOf(two, ...click(placeOf(two, ' +')).slice(0, 1))).toMatchObject([
      { type: 'spawn', opens: 'tab' },
    ]);
    const moved = after(two, ...dragging(placeOf(two, ' 2 ~'), first)).state;
    expect([moved.otherTabs.before.length, shown(moved)]).toEqual([0, ['web', 'build']]);
    const menu = after(two, mouse({ action: 'press', button: 'right', ...first })).state;
    const closed = after(menu, ...click(placeOf(menu, 'Close the tab'))).state;
    expect([shown(closed), closed.otherTabs]).toEqual([
      ['web', 'build'],
      { before: [], after: [] },
    ]);
    const scrolled = after(two, mouse({ action: 'scrollUp', ...first })).state;
    expect(shown(scrolled)).toEqual(['api']);
  });

  it('get a pane by a key, and by dragging its title', () => {
    const own = after(two, ...leader('!')).state;
    expect([shown(own), own.otherTabs.before.map(({ byId }) => byId.size)]).toEqual([
      ['build'],
      [1, 1],
    ]);
    const title = placeOf(two, ' 1 web ');
    const there = after(two, ...dragging(title, placeOf(two, ' 1 ~'))).state;
    expect([shown(there), focusOf(there)]).toEqual([['api', 'web'], 'web']);
  });

  it('end with their last pane, and are gone to where a session is shown', () => {
    const closed = after(two, ...leader('x', 'x')).state;
    expect([shown(closed), closed.shows]).toEqual([['api'], 'panes']);
    const there = after(two, ...click(placeOf(two, '? api'))).state;
    expect([shown(there), there.otherTabs.after.length]).toEqual([['api'], 1]);
  });
});

it('a pane has the focus, and the picture is whole, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(anyPaneEvents, { maxLength: 15 }), (all) => {
      let model = after(
        emptyModel(undefined, oneTab(noPanes())),
        listed(...sessions),
        key('enter'),
      ).state;
      const parts = new DrawnParts();
      for (const event of all.flat()) {
        model = after(model, event).state;
        const { panes, shows, menu } = model;
        if (panes === null) throw new Error('there are no panes');
        expect(panes.byId.size === 0 ? shows === 'list' : panes.byId.has(panes.focus)).toBe(true);
        expect(menu === null || menu.selected in menu.items).toBe(true);
        for (const { cols, rows } of seenPanes(panes, panesLayoutOf(model).space))
          expect(cols >= 1 && rows >= 1).toBe(true);
        expect(fault(draw(model, parts))).toBe('');
      }
    }),
    runs(150),
  );
});
