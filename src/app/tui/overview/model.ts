import { type FramedScreen, screenAfter } from '#mirror/frames';
import {
  type Attention,
  type Question,
  questionOf,
  type RowFrame,
  type SessionInfo,
  type SessionsEvent,
  type Size,
  type TmuxPlace,
  type Tracking,
} from '#model';
import type { TtyKey } from '#tty';
import type { SessionGroup } from '../attach/scene.ts';
import type { Command, Keys } from '../keys.ts';
import { emptyLine, type LineText } from '../line-editor.ts';
import type { Border, PanePlace, Panes } from '../panes/panes.ts';
import { type SideBar, usualBar } from '../panes/saved-layout.ts';
import type { Tabs } from '../panes/tabs.ts';

export const sortOrders = ['need', 'name', 'newest', 'last active'] as const;
export type SortOrder = (typeof sortOrders)[number];

export const stateFilters = ['all', 'wanting', 'driven', 'running', 'at prompt', 'exited'] as const;
export type StateFilter = (typeof stateFilters)[number];

/** A coordinator as the list shows it. */
export interface LinkState {
  readonly name: string;
  readonly state: 'connecting' | 'connected' | 'lost';
  /** Why it was lost; empty if it is not, or for a person's own coordinator that does not run. */
  readonly reason: string;
}

/** A session in the list. */
export interface Entry {
  /** The coordinator's index and the session's id. */
  readonly key: string;
  /** The index of its coordinator. */
  readonly link: number;
  readonly coordinatorName: string;
  readonly info: SessionInfo;
  /** When what it asks changed, in ms since 1970; 0 if it has not. */
  readonly askedAtMs: number;
}

/** Groups sessions by their directory. Keys of labels have no blanks. */
export const byDirectory = 'current directory';

/** The head of a session of tmux, or of one of its windows, in the side bar. */
export interface TmuxHead {
  readonly link: number;
  readonly coordinatorName: string;
  /** Of the pane that its person would be in. */
  readonly place: TmuxPlace;
  readonly isWindow: boolean;
  readonly text: string;
}

/** A row of the list. */
export type ListRow =
  | {
      readonly type: 'group';
      readonly name: string;
      readonly infos: readonly SessionInfo[];
      /** For a session of tmux, or a window of it. */
      readonly tmux?: TmuxHead;
    }
  | { readonly type: 'session'; readonly entry: Entry };

/** What a session shows now. */
export interface Preview extends FramedScreen {
  readonly key: string;
}

/** A line of a session that matches the pattern. */
export interface Find {
  readonly key: string;
  readonly line: number;
  readonly text: string;
  /** The match is `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** A session with the question that the person answers. */
export interface Asked {
  readonly key: string;
  readonly question: Question;
}

/** What the keys do now. */
export type Mode =
  | { readonly type: 'list' }
  | { readonly type: 'filter'; readonly line: LineText }
  | { readonly type: 'reply'; readonly line: LineText; readonly questions: readonly Asked[] }
  | { readonly type: 'pattern'; readonly line: LineText }
  | {
      readonly type: 'found';
      readonly pattern: string;
      /** Changes with each search: answers to an earlier one are dropped. */
      readonly id: number;
      readonly finds: readonly Find[];
      /** There are more than these. */
      readonly isCut: boolean;
      /** The sessions that are still searched. */
      readonly left: number;
      readonly at: number;
    }
  | {
      readonly type: 'confirm';
      /** `discard`: remove a session whose worktree has work left. */
      readonly action: 'kill' | 'remove' | 'discard';
      readonly keys: readonly string[];
      /** For `discard`: what is left. */
      readonly left?: string;
    }
  /** A new name of a session, of the tab that is shown, or of the layout. */
  | { readonly type: 'name'; readonly key: string | 'tab' | 'layout'; readonly line: LineText }
  | { readonly type: 'help'; readonly top: number };

/** What the next key in a pane is for: a command, after the leader; or the size of the pane. */
type Leading =
  | {
      readonly type: 'leader';
      readonly key: TtyKey;
      /** The keys since then, which begin a sequence. */
      readonly sequence: readonly TtyKey[];
    }
  | { readonly type: 'resize' };

/** What a button of the mouse holds: the program of a pane, its title, a border, the edge of the side bar, a tab. */
type Drag =
  | { readonly type: 'pane' | 'title'; readonly id: number }
  | { readonly type: 'border'; readonly border: Border }
  | { readonly type: 'bar' | 'tab' | 'nothing' };

/** Where a session is opened: in a pane of the tab that is shown, or in a new tab. */
export type OpenPlace = PanePlace | 'tab';

/** What an item of a menu does. */
export type MenuAct =
  | { readonly type: 'pane'; readonly id: number; readonly command: Command<'panes'> }
  | { readonly type: 'tab'; readonly at: number; readonly command: Command<'panes'> }
  | { readonly type: 'tmux'; readonly tmux: TmuxHead }
  | { readonly type: 'open'; readonly key: string; readonly place: OpenPlace }
  | { readonly type: 'openAll'; readonly keys: readonly string[]; readonly place: 'here' | 'tab' }
  | {
      readonly type: 'session';
      readonly key: string;
      readonly action: 'rename' | 'kill' | 'remove';
    };

/** The menu of the right button. */
export interface Menu {
  /** Where the mouse was. */
  readonly row: number;
  readonly col: number;
  readonly items: readonly { readonly label: string; readonly act: MenuAct }[];
  readonly selected: number;
}

export interface Notice {
  readonly text: string;
  readonly isError: boolean;
  readonly untilMs: number;
}

/** The whole state of the overview. */
export interface OverviewModel {
  readonly size: Size;
  readonly keys: Keys;
  readonly nowMs: number;
  /** When durations were last shown anew for the time alone, in ms since 1970. */
  readonly tickedAtMs: number;
  readonly home: string | undefined;
  /** The id of the session in which the overview is shown. */
  readonly ownId: string | undefined;
  /** Whether it only serves to choose a session: the list is filtered from the beginning. */
  readonly isSwitcher: boolean;
  /** Only these sessions are listed; null: all. */
  readonly group: SessionGroup | null;
  readonly links: readonly LinkState[];
  readonly entries: ReadonlyMap<string, Entry>;
  /** The sessions that pass the filters, in order, below the heads of their groups if requested. */
  readonly rows: readonly ListRow[];
  /** The first row of the list that is in view. */
  readonly top: number;
  /** Whether the wheel has moved the view of the side bar: then it need not contain the selected session. */
  readonly isScrolled: boolean;
  /** The last line of text of sessions that were in view, by key. */
  readonly lastLines: ReadonlyMap<string, string>;
  /** How far branches are ahead and behind, by the directories of sessions of this machine. */
  readonly tracking: ReadonlyMap<string, Tracking>;
  /** The key of the selected session, which is among the rows; null if there are none. */
  readonly selected: string | null;
  /** When that session was selected automatically, in ms since 1970; 0 if the person selected it. */
  readonly selectedAtMs: number;
  /**
   * What that session wanted when it was selected, by which it keeps its place when the person has seen that; null if it
   * wanted nobody.
   */
  readonly want: { readonly key: string; readonly attention: Attention } | null;
  /** A session to select as soon as it is listed: the one that was in view before, or a new one. */
  readonly awaited: { readonly coordinatorName: string; readonly name: string } | null;
  readonly marked: ReadonlySet<string>;
  readonly query: string;
  readonly states: StateFilter;
  readonly sort: SortOrder;
  /** {@link byDirectory}, or the key of a label; null for one list. */
  readonly groupedBy: string | null;
  /** Whether the terminal has the focus, as far as it tells. */
  readonly hasFocus: boolean;
  readonly mode: Mode;
  readonly notice: Notice | null;
  readonly preview: Preview | null;
  /** The preview has the whole window. */
  readonly isPeeking: boolean;
  readonly lastClick: { readonly key: string; readonly atMs: number } | null;
  readonly searches: number;
  /** The name under which the tabs are remembered; null if they are not. */
  readonly layoutName: string | null;
  /** Those of the tab that is shown. Null where the overview only chooses a session. */
  readonly panes: Panes | null;
  /** The tabs before and after the one that is shown. */
  readonly otherTabs: Pick<Tabs, 'before' | 'after'>;
  /** What has the window. With `panes`, the list is the side bar, as far as there is room. */
  readonly shows: 'list' | 'panes';
  readonly bar: SideBar;
  /** Whether the keys are for the side bar, and not for the pane with the focus. */
  readonly hasBarKeys: boolean;
  readonly leading: Leading | null;
  readonly drag: Drag | null;
  readonly menu: Menu | null;
}

export const startModel = (options: {
  readonly size: Size;
  readonly keys: Keys;
  readonly nowMs: number;
  readonly home: string | undefined;
  readonly ownId?: string | undefined;
  readonly isSwitcher?: boolean;
  readonly group?: SessionGroup | null;
  readonly linkNames: readonly string[];
  readonly awaited: OverviewModel['awaited'];
  readonly layoutName?: string | null;
  readonly tabs?: Tabs | null;
  readonly bar?: SideBar;
}): OverviewModel => ({
  size: options.size,
  keys: options.keys,
  nowMs: options.nowMs,
  tickedAtMs: options.nowMs,
  home: options.home,
  ownId: options.ownId,
  isSwitcher: options.isSwitcher ?? false,
  group: options.group ?? null,
  links: options.linkNames.map((name) => ({ name, state: 'connecting', reason: '' })),
  entries: new Map(),
  rows: [],
  top: 0,
  isScrolled: false,
  lastLines: new Map(),
  tracking: new Map(),
  selected: null,
  selectedAtMs: 0,
  want: null,
  awaited: options.awaited,
  marked: new Set(),
  query: '',
  states: 'all',
  sort: 'need',
  groupedBy: null,
  hasFocus: true,
  mode: options.isSwitcher ? { type: 'filter', line: emptyLine } : { type: 'list' },
  notice: null,
  preview: null,
  isPeeking: false,
  lastClick: null,
  searches: 0,
  layoutName: options.layoutName ?? null,
  ...withTabs(options.tabs ?? null),
  shows: (options.tabs?.shown.byId.size ?? 0) > 0 ? 'panes' : 'list',
  bar: options.bar ?? usualBar,
  hasBarKeys: false,
  leading: null,
  drag: null,
  menu: null,
});

/** Returns the tabs of a window; null where the overview only chooses a session. */
export const tabsIn = ({ panes, otherTabs }: OverviewModel): Tabs | null =>
  panes === null ? null : { ...otherTabs, shown: panes };

/** Returns the properties of a model for its tabs. */
export const withTabs = (tabs: Tabs | null): Pick<OverviewModel, 'panes' | 'otherTabs'> =>
  tabs === null
    ? { panes: null, otherTabs: { before: [], after: [] } }
    : { panes: tabs.shown, otherTabs: { before: tabs.before, after: tabs.after } };

export const keyOf = (link: number, id: string): string => `${link}/${id}`;

/** Returns the model after changes of a coordinator's sessions. */
export function withSessions(
  model: OverviewModel,
  link: number,
  events: readonly SessionsEvent[],
): OverviewModel {
  const entries = new Map(model.entries);
  let { preview } = model;
  let isChanged = false;
  for (const event of events) {
    if (event.type === 'frame') {
      const key = keyOf(link, event.id);
      if (key === model.selected) preview = withFrame(preview, key, event.frame);
      continue;
    }
    isChanged = true;
    if (event.type === 'removed') entries.delete(keyOf(link, event.id));
    else if (event.type === 'session') addTo(entries, model, link, event.session);
    else {
      for (const [key, entry] of entries) if (entry.link === link) entries.delete(key);
      for (const info of event.sessions) addTo(entries, model, link, info);
    }
  }
  const changed = isChanged ? { entries, ...withoutGone(model, entries) } : {};
  return { ...model, ...changed, preview };
}

function addTo(
  entries: Map<string, Entry>,
  model: OverviewModel,
  link: number,
  info: SessionInfo,
): void {
  const key = keyOf(link, info.id);
  const before = model.entries.get(key);
  const isSame = before === undefined || sameQuestion(before.info, info);
  entries.set(key, {
    key,
    link,
    coordinatorName: model.links[link]?.name ?? '',
    info,
    askedAtMs: isSame ? (before?.askedAtMs ?? 0) : model.nowMs,
  });
}

function sameQuestion(a: SessionInfo, b: SessionInfo): boolean {
  const [one, other] = [questionOf(a), questionOf(b)];
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.sinceMs === other.sinceMs && one.text === other.text;
}

/** Forgets what belongs to sessions that were removed. */
function withoutGone(
  { marked, lastLines }: OverviewModel,
  entries: ReadonlyMap<string, Entry>,
): Partial<OverviewModel> {
  const isGone = (key: string) => !entries.has(key);
  return {
    ...([...marked].some(isGone)
      ? { marked: new Set([...marked].filter((key) => !isGone(key))) }
      : {}),
    ...([...lastLines.keys()].some(isGone)
      ? { lastLines: new Map([...lastLines].filter(([key]) => !isGone(key))) }
      : {}),
  };
}

/** Returns the preview after a frame; the one before if the frame needs another one before it. */
function withFrame(before: Preview | null, key: string, frame: RowFrame): Preview | null {
  const screen = screenAfter(before?.key === key ? before : null, frame);
  return screen === null ? before : { key, ...screen };
}
