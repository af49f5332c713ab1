import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsText, type SessionInfo, type TmuxEvent } from '#model';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  after,
  anyInfos,
  emptyModel,
  key,
  listed,
  mouse,
  names,
  panesModelOf,
  sessionInfo,
  tmuxPane,
  tmuxPopup,
} from '../../../../test/support/tui/overview-model.ts';
import { Keys } from '../keys.ts';
import { noPanes, showTmux, withPane } from '../panes/panes.ts';
import { restoredLayout, savedLayout, usualBar } from '../panes/saved-layout.ts';
import { oneTab } from '../panes/tabs.ts';
import { draw } from './draw.ts';
import { type OverviewModel, tabsIn } from './model.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';
import { tmuxSessions } from './tmux-sessions.ts';

const work = [
  tmuxPane('work.2', { window: 1, pane: 2, marks: 'active-', windowName: 'logs' }),
  tmuxPane('work.1', { pane: 1, at: 1, attention: 'input', evidence: 'Overwrite?' }),
  tmuxPane('work.0', { pane: 0, marks: 'active+current-' }),
];
const plain = sessionInfo('plain');

const rowsOf = (model: OverviewModel): string[] => draw(model).rows.map(cellsText);
const commandsOf = (effects: readonly OverviewEffect[]): TmuxEvent[] =>
  effects.flatMap((effect) => (effect.type === 'toTmux' ? [effect.event] : []));
/** The place of a text in the side bar. */
const inBar = (model: OverviewModel, text: string) => {
  const row = rowsOf(model).findIndex((each) => each.slice(0, 30).includes(text));
  expect(row, `${text} in\n${rowsOf(model).join('\n')}`).toBeGreaterThan(-1);
  return { row, col: 5 };
};
const click = (place: { row: number; col: number }, button: 'left' | 'right' = 'left') =>
  (['press', 'release'] as const).map((action) => mouse({ action, button, ...place }));
const leader = (...keys: readonly string[]): OverviewEvent[] =>
  keys.flatMap((each) => [key('ctrl+b'), key(each)]);

/** The session work is shown, after another one in the first tab. */
const shown = after(
  panesModelOf(plain, ...work),
  { type: 'spawned', link: 0, info: plain, opens: 'here' },
  { type: 'time' },
);
const inTmux = after(shown.state, ...click(inBar(shown.state, 'work.0'))).state;

describe('sessions of tmux in the side bar', () => {
  it('have their windows by index, and their panes in the order of the window', () => {
    expect(names(shown.state)).toEqual([
      'tmux work',
      '0 sh*',
      'work.0',
      'work.1',
      '1 logs',
      'work.2',
      '/home/me',
      'plain',
    ]);
    const rows = rowsOf(shown.state);
    expect(rows[inBar(shown.state, 'tmux work').row]).toMatch(/^ tmux work {2}1 asks, 2 busy /);
    expect(rows[inBar(shown.state, '1 logs').row]).toMatch(/^ {2}1 logs {2}1 busy /);
  });

  it('have one head with a single window, and name servers that are not the usual one', () => {
    const single = tmuxPane('team.7', { pane: 7, of: 'team', marks: 'active+current-' });
    const labels = { ...single.labels, 'tmux/server': '/tmp/tmux-0/agents' };
    const all = after(shown.state, listed(plain, single, { ...single, id: 'other', labels })).state;
    expect(names(all).slice(0, 5)).toEqual([
      '/home/me',
      'plain',
      'tmux team:0 sh',
      'team.7',
      'tmux -L agents team:0 sh',
    ]);
  });

  it('have their popups below the head, which are opened as other sessions', () => {
    const popup = tmuxPopup('work.popup', { attention: 'input', evidence: 'Branch?' });
    const { state } = after(shown.state, listed(plain, popup, ...work));
    expect(names(state).slice(0, 3)).toEqual(['tmux work', 'work.popup', '0 sh*']);
    expect(rowsOf(state)[inBar(state, 'tmux work').row]).toMatch(/^ tmux work {2}2 asks, 2 busy /);
    const opening = after(state, ...click(inBar(state, 'work.popup')).slice(0, 1));
    expect(commandsOf(opening.effects)).toEqual([]);
    const [single] = work;
    const one = after(shown.state, listed(popup, single as SessionInfo)).state;
    expect(names(one)).toEqual(['tmux work:1 logs', 'work.popup', 'work.2']);
    // One that a server has left behind is where it runs.
    expect(names(after(shown.state, listed(plain, popup)).state)).toContain('/home/me');
  });

  it('do not have panes that a server has left behind', () => {
    const left = tmuxPane('old.0', { pane: 0, of: 'old', session: 9 });
    const ended = { ...left, state: 'exited' as const };
    expect(names(after(shown.state, listed(plain, ended)).state)).toEqual([
      '/home/me',
      'plain',
      'old.0',
    ]);
  });

  it('have each session in one row, whatever its labels are', () => {
    fc.assert(
      fc.property(anyInfos, (infos) => {
        const { state } = after({ ...shown.state, query: '' }, listed(plain, ...infos));
        const sessions = state.rows.flatMap((row) =>
          row.type === 'session' ? [row.entry.key] : [],
        );
        expect(sessions.toSorted()).toEqual([...state.entries.keys()].toSorted());
        const ofTmux = tmuxSessions(state.entries.values());
        // Below the head of a session of tmux are its panes and popups only.
        let head: string | null = null;
        for (const row of state.rows) {
          if (row.type === 'group' && !row.tmux?.isWindow) head = row.tmux ? row.tmux.text : null;
          if (row.type === 'session') expect(ofTmux.has(row.entry.key)).toBe(head !== null);
        }
      }),
      runs(100),
    );
  });
});

describe('a session of tmux in vtr ui', () => {
  it('has a tab of its own, in which its server selects the pane', () => {
    const opening = after(shown.state, ...click(inBar(shown.state, 'work.1')).slice(0, 1));
    expect(commandsOf(opening.effects)).toEqual([
      { type: 'run', commands: "switch-client -t '%1'" },
    ]);
    const tabs = tabsIn(opening.state);
    expect([tabs?.before.length, tabs?.shown.byId.size]).toEqual([1, 1]);
    const rows = rowsOf(opening.state);
    expect(rows[0]).toMatch(/│ 1 ~ {3}2 tmux work {3}\+/);
    expect(rows[1]).toMatch(/│─ tmux work {2}1 asks, 2 busy ─/);
    // The active pane is the one that is seen.
    expect(rows[inBar(opening.state, 'work.0').row]).toMatch(/^▌/);
    // It is shown once: a head, too, goes to its tab.
    const again = after(
      opening.state,
      ...leader('alt+1'),
      ...click(inBar(shown.state, '1 logs')).slice(0, 1),
    );
    expect(tabsIn(again.state)?.after).toEqual([]);
    expect(commandsOf(again.effects)).toEqual([{ type: 'run', commands: "switch-client -t '%2'" }]);
    const head = after(inTmux, ...click(inBar(inTmux, 'tmux work')).slice(0, 1));
    expect([commandsOf(head.effects), head.state.panes]).toEqual([[], inTmux.panes]);
  });

  it.each<[string, TmuxEvent['type'] | null, string | undefined]>([
    ['%', 'key', 'split-window -h'],
    ['c', 'key', 'new-window'],
    ['h', 'key', 'select-pane -L'],
    ['[', 'key', undefined],
    ['0', 'key', undefined],
    ['ctrl+b', 'key', 'send-keys C-b'],
    ['s', null, undefined],
    ['d', null, undefined],
    ['alt+n', null, undefined],
    ['A', null, undefined],
  ])('passes %s after the leader on as a key after the prefix', (name, type, otherwise) => {
    const { effects } = after(inTmux, ...leader(name));
    if (type === null) return expect(effects).toEqual([]);
    const pane = inTmux.panes?.focus;
    expect(effects).toMatchObject([{ type: 'toTmux', pane, event: { type, table: 'prefix' } }]);
    const [event] = commandsOf(effects);
    expect(event?.type === 'key' ? event.otherwise : '').toBe(otherwise);
  });

  it('does by keys without the leader what they do in other tabs', () => {
    const keys = new Keys({ key: 'b', ctrl: true }, { direct: { left: 'alt+h', next_tab: 'f3' } });
    const model = { ...inTmux, keys };
    expect(commandsOf(after(model, key('alt+h')).effects)).toEqual([
      { type: 'run', commands: 'select-pane -L' },
    ]);
    expect(tabsIn(after(model, key('f3')).state)?.before).toEqual([]);
  });

  it('passes all else on, and does not change', () => {
    const { state, effects } = after(inTmux, key('a'));
    expect([state, effects]).toMatchObject([
      {},
      [{ type: 'toPanes', panes: [inTmux.panes?.focus] }],
    ]);
    expect(state).toBe(inTmux);
    const place = { row: 5, col: 40 };
    const [menu] = after(inTmux, ...click(place, 'right').slice(0, 1)).effects;
    expect(menu).toMatchObject({ type: 'toPanes', event: { mouse: { button: 'right', row: 3 } } });
  });

  it('keeps its tab for itself: what is opened there has a new one', () => {
    const { state } = after(inTmux, { type: 'spawned', link: 0, info: plain, opens: 'row' });
    expect([state.otherTabs.before.length, state.panes?.byId.size]).toEqual([2, 1]);
    const title = { row: 1, col: 34 };
    const dragged = after(
      inTmux,
      mouse({ action: 'press', ...title }),
      mouse({ action: 'move', button: 'left', row: 0, col: 34 }),
      mouse({ action: 'release', row: 0, col: 34 }),
    ).state;
    expect(dragged.notice?.text).toBe('a session of tmux has a tab for itself');
    expect(dragged.panes).toBe(inTmux.panes);
  });

  it('has a menu at its title, whose items the server carries out', () => {
    const open = after(inTmux, ...click({ row: 1, col: 34 }, 'right'));
    expect(open.state.menu?.items.map(({ label }) => label)).toContain('New window');
    expect(commandsOf(after(open.state, key('enter')).effects)).toEqual([
      { type: 'run', commands: 'split-window -h' },
    ]);
  });

  it('follows the session that its client shows, also for the layout that is remembered', () => {
    const pane = inTmux.panes?.focus ?? 0;
    const { state } = after(inTmux, { type: 'paneShowsTmux', pane, name: 'job' });
    const tabs = tabsIn(state);
    const restored = tabs === null ? null : restoredLayout(savedLayout(tabs, usualBar));
    const session = [...(restored?.tabs.shown.byId.values() ?? [])][0]?.session;
    expect(session).toEqual({ coordinator: 'default', name: 'job', tmux: '/tmp/tmux-0/default' });
  });

  it('is found by its name when it is listed, and says which there are if it is not', () => {
    const looking = (name: string) => {
      const session = { coordinator: '', name, tmux: '' };
      const size = { cols: 100, rows: 30 };
      const tab = withPane(noPanes(), { session, target: null }, 'here', size) ?? noPanes();
      const empty = emptyModel(size, oneTab(tab));
      return after(empty, listed(plain, ...work), {
        type: 'link',
        link: 0,
        state: 'connected',
        reason: '',
      }).state;
    };
    const [pane] = looking('work').panes?.byId.values() ?? [];
    expect(pane).toMatchObject({
      session: { coordinator: 'default', tmux: '/tmp/tmux-0/default' },
      target: { link: 0 },
    });
    expect(rowsOf(looking('nope')).join('\n')).toContain(
      'there is no session nope of tmux; there are work',
    );
    const panes = looking('work').panes ?? noPanes();
    expect(showTmux(panes)).toBe(true);
  });

  it('is attached to again by Enter where it was lost, or made', () => {
    const pane = inTmux.panes?.focus ?? 0;
    const end = { type: 'lost', reason: "tmux: can't find session: work" } as const;
    const lost = after(inTmux, { type: 'paneEnded', pane, end }).state;
    expect(rowsOf(lost).join('\n')).toContain("can't find session: work: Enter attaches to the");
    const { panes } = after(lost, key('enter')).state;
    expect(panes?.byId.get(panes.focus)).toMatchObject({ makes: true, problem: '' });
  });

  it('is not shown in itself', () => {
    const { state } = after(
      { ...shown.state, ownId: 'id-work.2' },
      ...click(inBar(shown.state, 'work.0')),
    );
    expect(state.notice?.text).toBe('vtr runs in this session of tmux: it cannot show itself');
  });
});
