import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  arranged,
  borderAt,
  fitted,
  focused,
  following,
  neighbour,
  nextArrangement,
  noPanes,
  type Panes,
  paneIds,
  reopened,
  resized,
  seenPanes,
  swapped,
  withAllMarks,
  withBorderAt,
  withMark,
  without,
  withPane,
  zoomed,
} from './panes.ts';
import { layoutNameProblem, restoredLayout, savedLayout } from './saved-layout.ts';
import { allTabs, oneTab, tabsSettled } from './tabs.ts';

const space = { cols: 100, rows: 40 };

const open = (panes: Panes, name: string, place: 'here' | 'row' | 'column'): Panes =>
  withPane(panes, { session: { coordinator: 'default', name }, target: null }, place, space) ??
  panes;

const steps: Readonly<Record<string, (panes: Panes, n: number) => Panes>> = {
  here: (panes, n) => open(panes, `s${n}`, 'here'),
  right: (panes, n) => open(panes, `s${n}`, 'row'),
  below: (panes, n) => open(panes, `s${n}`, 'column'),
  close: (panes, n) => without(panes, paneIds(panes)[n % 9] ?? 0),
  focus: (panes, n) => focused(panes, paneIds(panes)[n % 9] ?? 99),
  next: (panes, n) => focused(panes, following(panes, n - 5)),
  beside: (panes, n) =>
    focused(
      panes,
      neighbour(panes, panes.focus, (['left', 'right', 'up', 'down'] as const)[n % 4] ?? 'up') ?? 0,
    ),
  swap: (panes, n) => swapped(panes, panes.focus, paneIds(panes)[n % 9] ?? 0),
  zoom: zoomed,
  reopen: (panes, n) => reopened(panes, paneIds(panes)[n % 9] ?? 0),
  resize: (panes, n) => resized(panes, n % 2 === 0 ? 'row' : 'column', n - 10),
  drag: (panes, n) => {
    const border = borderAt(panes, n * 4, n * 2);
    return border === null ? panes : withBorderAt(panes, border, n)[0];
  },
  arrange: (panes) => arranged(panes, space, nextArrangement(panes)),
  mark: (panes) => withMark(panes, panes.focus),
  markAll: withAllMarks,
  fit: (panes, n) => fitted(fitted(panes, { cols: n + 1, rows: n + 1 }), space),
};

const anySteps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat({ max: 24 })), {
  maxLength: 30,
});

const after = (all: readonly (readonly [string, number])[]): Panes =>
  all.reduce((panes, [name, n]) => steps[name]?.(panes, n) ?? panes, noPanes('work'));

it('each pane has a place of its own, and one has the focus, whatever is done', () => {
  fc.assert(
    fc.property(anySteps, (all) => {
      const panes = after(all);
      const { byId, focus, earlier, marked } = panes;
      expect(paneIds(panes).toSorted()).toEqual([...byId.keys()].toSorted());
      expect(byId.size === 0 ? focus === 0 : byId.has(focus)).toBe(true);
      expect([...earlier, ...marked].every((id) => byId.has(id))).toBe(true);
      expect(earlier).not.toContain(focus);
      const cells = new Set<number>();
      for (const { id, x, y, cols, rows } of seenPanes(panes, space)) {
        expect(byId.has(id) && cols >= 1 && rows >= 1).toBe(true);
        expect(x >= 0 && y >= 0 && x + cols <= space.cols && y + rows <= space.rows).toBe(true);
        for (let col = x; col < x + cols; col++) {
          for (let row = y; row < y + rows; row++) {
            const cell = row * space.cols + col;
            if (cells.has(cell)) throw new Error(`two panes at ${row},${col}`);
            cells.add(cell);
          }
        }
      }
    }),
    runs(150),
  );
});

it('what is remembered shows the same sessions at the same places', () => {
  fc.assert(
    fc.property(anySteps, fc.nat({ max: 60 }), fc.boolean(), (all, cols, isShown) => {
      const panes = after(all);
      const bar = { cols: cols + 1, isShown };
      const tabs = { before: [after(all.slice(1))], shown: panes, after: [after(all.slice(2))] };
      const text = savedLayout(tabs, bar);
      const restored = restoredLayout(text);
      if (restored === null) throw new Error(text);
      expect(restored.bar).toEqual(bar);
      const factsOf = (shown: Panes) => ({
        seen: seenPanes(fitted(shown, space), space).map(({ id, ...place }) => ({
          ...place,
          session: shown.byId.get(id)?.session,
          isMarked: shown.marked.has(id),
        })),
        focus: paneIds(shown).indexOf(shown.focus),
        isZoomed: shown.isZoomed,
        title: shown.title,
      });
      const settledTabs = allTabs(tabsSettled(tabs));
      expect(allTabs(restored.tabs).map(factsOf)).toEqual(settledTabs.map(factsOf));
      const ids = allTabs(restored.tabs).flatMap(paneIds);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    runs(100),
  );
});

it('what an older version remembered is one tab', () => {
  const saved = savedLayout(oneTab(open(noPanes(), 'a', 'here')), { cols: 30, isShown: true });
  const restored = restoredLayout(JSON.stringify({ ...JSON.parse(saved).tabs[0], version: 1 }));
  expect(restored?.tabs.shown.byId.get(1)?.session.name).toBe('a');
  expect(restored?.tabs).toMatchObject({ before: [], after: [] });
});

it.each([
  ['no JSON', '{'],
  ['another version', '{"version":3,"layout":""}'],
  ['tabs that are none', '{"version":2,"tabs":[3]}'],
  ['a layout that is none', '{"version":1,"layout":"x","panes":[{"coordinator":"a","name":"b"}]}'],
  ['more panes than places', savedWith('bb62,80x24,0,0,1', 2)],
  ['null', 'null'],
])('what is remembered is refused: %s', (_, text) => {
  expect(restoredLayout(text)).toBeNull();
});

function savedWith(layout: string, count: number): string {
  const panes = Array.from({ length: count }, () => ({ coordinator: 'default', name: 'a' }));
  return JSON.stringify({ version: 1, layout, panes });
}

it('the name of a layout is a part of the name of a file', () => {
  expect(['work', 'a.b-c_1', 'büro', 'x'.repeat(64)].map(layoutNameProblem)).toEqual([
    null,
    null,
    null,
    null,
  ]);
  for (const bad of ['', '.', '../x', 'a/b', '-x', 'a b', 'x'.repeat(65)])
    expect(layoutNameProblem(bad)).toContain('a layout cannot be called');
});

it('a much smaller space is shared in proportion, and a small one shows one pane', () => {
  const two = resized(open(open(noPanes(), 'a', 'here'), 'b', 'row'), 'row', -20);
  const idsOf = (panes: Panes, cols: number) =>
    seenPanes(fitted(panes, { cols, rows: 40 }), { cols, rows: 40 }).map((pane) => pane.cols);
  expect(idsOf(two, 100)).toEqual([30, 69]);
  expect(idsOf(two, 70)).toEqual([21, 48]);
  expect(idsOf(two, 40)).toEqual([40]);
  const back = fitted(fitted(two, { cols: 40, rows: 40 }), space);
  expect(idsOf(back, 100)).toEqual([30, 69]);
});

it('the neighbour on a side is the one that had the focus last', () => {
  const two = open(open(noPanes(), 'a', 'here'), 'b', 'row');
  const [left, right] = paneIds(two) as [number, number];
  const three = open(two, 'c', 'column');
  const [, , below] = paneIds(three) as [number, number, number];
  expect(neighbour(three, below, 'up')).toBe(right);
  expect(neighbour(three, below, 'left')).toBe(left);
  expect(neighbour(focused(three, left), left, 'right')).toBe(below);
  expect(neighbour(focused(focused(three, right), left), left, 'right')).toBe(right);
  expect(neighbour(three, left, 'up')).toBeNull();
});
