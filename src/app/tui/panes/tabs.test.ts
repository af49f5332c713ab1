import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { noPanes, type Panes, paneIds, without, withPane } from './panes.ts';
import {
  allTabs,
  oneTab,
  type Tabs,
  tabBefore,
  tabBeside,
  tabClosed,
  tabMoved,
  tabShown,
  tabsSettled,
  withTab,
} from './tabs.ts';

const space = { cols: 100, rows: 40 };

/** A tab of one pane that shows a session. */
const tabOf = (name: string, nextId: number): Panes => {
  const session = { coordinator: 'default', name };
  const panes = withPane({ ...noPanes(), nextId }, { session, target: null }, 'here', space);
  if (panes === null) throw new Error('there is no room');
  return panes;
};

const namesOf = (tabs: Tabs): string =>
  allTabs(tabs)
    .map((panes) => {
      const name = panes.byId.get(panes.focus)?.session.name ?? '?';
      return panes === tabs.shown ? `[${name}]` : name;
    })
    .join(' ');

/** `a`, `b` and `c`, opened one after the other: `c` is shown. */
const three = ['b', 'c'].reduce(
  (tabs, name) => tabsSettled(withTab(tabs, tabOf(name, tabs.shown.nextId))),
  oneTab(tabOf('a', 1)),
);

it.each<[string, (tabs: Tabs) => Tabs, string]>([
  [
    'a new one comes after the one that is shown',
    (tabs) => withTab(tabShown(tabs, 0), tabOf('d', 9)),
    'a [d] b c',
  ],
  ['the next one, around', (tabs) => tabShown(tabs, tabBeside(tabs, 1)), '[a] b c'],
  ['the previous one', (tabs) => tabShown(tabs, tabBeside(tabs, -1)), 'a [b] c'],
  ['none of a number that does not exist', (tabs) => tabShown(tabs, 7), 'a b [c]'],
  [
    'the one before, and back',
    (tabs) => tabShown(tabShown(tabs, 0), tabBefore(tabShown(tabs, 0))),
    'a b [c]',
  ],
  ['moved to the front', (tabs) => tabMoved(tabs, 0), '[c] a b'],
  ['moved past the end', (tabs) => tabMoved(tabs, 9), 'a b [c]'],
  ['closed: the one before is shown', (tabs) => tabClosed(tabShown(tabs, 0)), 'b [c]'],
  ['closed, all but one', (tabs) => tabClosed(tabClosed(tabs)), '[a]'],
  [
    'without the last pane of the one that is shown',
    (tabs) => tabsSettled({ ...tabs, shown: without(tabs.shown, tabs.shown.focus) }),
    'a [b]',
  ],
])('tabs: %s', (_, change, expected) => {
  expect(namesOf(change(three))).toBe(expected);
});

it('whatever happens to tabs, each has panes, and no two panes have one number', () => {
  const steps: Readonly<Record<string, (tabs: Tabs, n: number) => Tabs>> = {
    open: (tabs, n) => withTab(tabs, tabOf(`s${n}`, tabs.shown.nextId)),
    show: (tabs, n) => tabShown(tabs, n),
    before: (tabs) => tabShown(tabs, tabBefore(tabs)),
    move: (tabs, n) => tabMoved(tabs, n),
    close: tabClosed,
    empty: (tabs) => ({ ...tabs, shown: without(tabs.shown, tabs.shown.focus) }),
  };
  const any = fc.array(fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat({ max: 9 })));
  fc.assert(
    fc.property(any, (all) => {
      let tabs = three;
      for (const [name, n] of all) {
        tabs = tabsSettled(steps[name]?.(tabs, n) ?? tabs);
        const each = allTabs(tabs);
        if (each.length > 1) expect(each.every(({ byId }) => byId.size > 0)).toBe(true);
        const ids = each.flatMap(paneIds);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => id < tabs.shown.nextId)).toBe(true);
      }
    }),
    runs(200),
  );
});
