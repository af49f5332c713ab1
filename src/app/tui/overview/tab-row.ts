import { directoryOf, oneLine, plainStyle } from '#model';
import { textCells } from '#vt';
import { focusedPane, type Panes } from '../panes/panes.ts';
import { allTabs } from '../panes/tabs.ts';
import { signs } from './columns.ts';
import { type OverviewModel, tabsIn } from './model.ts';
import { keyOfPane } from './opening.ts';
import { type Span, type StyleName, span } from './spans.ts';
import { infosOf } from './tmux-sessions.ts';

/** A place in the row of the tabs: a tab, or `+` for a new one. */
export interface TabSpot {
  /** The index of the tab; null: the place for a new one. */
  readonly at: number | null;
  /** Its first column in the row. */
  readonly col: number;
  readonly cols: number;
  readonly spans: readonly Span[];
}

const mostNameCols = 20;

/** Returns what a tab is called: by a person, or after the directory of its session. */
function tabName({ entries, home }: OverviewModel, panes: Panes): string {
  if (panes.title !== null) return panes.title;
  const pane = focusedPane(panes);
  if (pane === undefined) return '';
  if (pane.session.tmux !== undefined) return `tmux ${pane.session.name}`;
  const entry = entries.get(keyOfPane(pane) ?? '');
  const directory = entry === undefined ? '' : directoryOf(entry.info);
  if (directory === home) return '~';
  const [, last = ''] = /([^/]*)\/*$/.exec(directory) ?? [];
  return last === '' ? pane.session.name : last;
}

/** What a session of a tab wants, by its sign and style; null if none wants somebody. */
function wantOf(model: OverviewModel, panes: Panes): readonly [string, StyleName | null] | null {
  for (const { attention } of [...panes.byId.values()].flatMap((pane) => infosOf(model, pane)))
    if (attention !== undefined) return signs[attention.kind];
  return null;
}

/**
 * Returns the places of the row of the tabs. If not all have room, the first ones are left out, so that the tab that is
 * shown is among them.
 */
export function tabSpots(model: OverviewModel, cols: number): readonly TabSpot[] {
  const tabs = tabsIn(model);
  if (tabs === null) return [];
  const shown = tabs.before.length;
  const spots = allTabs(tabs).map((panes, at): Omit<TabSpot, 'col'> => {
    const want = at === shown ? null : wantOf(model, panes);
    const style = at === shown ? 'selectedBold' : (want?.[1] ?? 'plain');
    const name = [...oneLine(tabName(model, panes))];
    const text =
      name.length > mostNameCols ? `${name.slice(0, mostNameCols).join('')}…` : name.join('');
    const label = ` ${at + 1} ${text}${want === null ? '' : ` ${want[0]}`} `;
    return { at, cols: widthOf(label) + 1, spans: [span(label, style), span(' ')] };
  });
  const plus = { at: null, cols: 3, spans: [span(' + ', 'dim')] };
  const widthTo = (from: number) =>
    spots.slice(from, shown + 1).reduce((sum, each) => sum + each.cols, 0);
  let first = 0;
  while (first < shown && widthTo(first) > cols) first++;
  let col = 0;
  return [...spots.slice(first), plus].map((each) => {
    const spot = { ...each, col };
    col += each.cols;
    return spot;
  });
}

const widthOf = (text: string): number => textCells(text, plainStyle).length;
