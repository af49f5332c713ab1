import fc from 'fast-check';
import { defined } from '#base';
import { keyRows, parseKey } from '#keys';
import {
  type ActivityState,
  type AttentionKind,
  type MouseInput,
  mouseActions,
  noEvidence,
  type RowFrame,
  runsOfCells,
  type SessionInfo,
  type SessionsEvent,
} from '#model';
import type { TtyEvent } from '#tty';
import { Terminal } from '#vt';
import type { AttachEnd } from '../../../src/app/tui/attach/scene.ts';
import { Keys } from '../../../src/app/tui/keys.ts';
import { type OverviewModel, startModel } from '../../../src/app/tui/overview/model.ts';
import type { OverviewEvent, Step } from '../../../src/app/tui/overview/step.ts';
import { update } from '../../../src/app/tui/overview/update.ts';
import { noPanes } from '../../../src/app/tui/panes/panes.ts';
import { oneTab, type Tabs } from '../../../src/app/tui/panes/tabs.ts';
import { output } from '../vt/terminal-output.ts';

/** When the sessions of these models began to do what they do, in ms since 1970. */
const startMs = 1_790_000_000_000;

/** The state of a session in a few words, for tests. */
export interface SessionFacts {
  readonly id?: string;
  readonly state?: ActivityState;
  readonly attention?: AttentionKind;
  readonly evidence?: string;
  readonly sinceMs?: number;
  readonly directory?: string;
  readonly command?: string | null;
  readonly driver?: 'agent' | 'person';
  readonly canonical?: boolean;
  readonly createdAtMs?: number;
  readonly title?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export function sessionInfo(name: string, facts: SessionFacts = {}): SessionInfo {
  const { state = 'running', sinceMs = startMs, createdAtMs = startMs } = facts;
  const isExited = state === 'exited';
  return {
    name,
    id: facts.id ?? `id-${name}`,
    state: isExited ? 'exited' : 'running',
    program: '/bin/sh',
    args: [],
    cwd: '/home/me',
    pid: 100,
    size: { cols: 80, rows: 24 },
    title: facts.title ?? '',
    revision: 1,
    createdAtMs,
    exitedAtMs: isExited ? sinceMs : null,
    exitStatus: isExited ? { code: 1, signal: null } : null,
    activity: {
      state,
      evidence: {
        ...noEvidence,
        foreground: { pid: 101, name: 'sh' },
        leaderInForeground: true,
        echo: true,
        canonical: facts.canonical ?? true,
      },
      sinceMs,
      revision: 1,
      command: facts.command ?? null,
      directory: facts.directory ?? '/home/me',
    },
    ...defined({ labels: facts.labels }),
    ...(facts.attention === undefined
      ? {}
      : { attention: { kind: facts.attention, sinceMs, evidence: facts.evidence ?? '' } }),
    ...(facts.driver === undefined
      ? {}
      : {
          driver: { kind: facts.driver, name: 'alice', sinceMs, epoch: 2, untilMs: sinceMs + 1 },
        }),
  };
}

/** A session that is a pane of tmux, in the session `$1` called work of the usual server. */
export const tmuxPane = (
  name: string,
  {
    window = 0,
    pane,
    at = 0,
    marks = '-',
    session = 1,
    of = 'work',
    windowName,
    ...facts
  }: SessionFacts & {
    readonly window?: number;
    readonly pane: number;
    readonly at?: number;
    /** As the server writes it: `active+current-`. */
    readonly marks?: string;
    readonly session?: number;
    readonly of?: string;
    readonly windowName?: string;
  },
): SessionInfo =>
  sessionInfo(name, {
    ...facts,
    labels: {
      'tmux/server': '/tmp/tmux-0/default',
      'tmux/session': of,
      'tmux/place': `$${session} @${window} %${pane} ${window} ${at} ${marks}`,
      ...defined({ 'tmux/window': windowName }),
    },
  });

/** A session that is shown as a popup over a session of tmux, as {@link tmuxPane} has it. */
export const tmuxPopup = (
  name: string,
  {
    session = 1,
    of = 'work',
    ...facts
  }: SessionFacts & { readonly session?: number; readonly of?: string } = {},
): SessionInfo =>
  sessionInfo(name, {
    ...facts,
    labels: {
      'tmux/server': '/tmp/tmux-0/default',
      'tmux/session': of,
      'tmux/popup': `$${session}`,
    },
  });

export const key = (name: string): OverviewEvent => ({ type: 'event', event: keyEvent(name) });

const keyEvent = (name: string): TtyEvent => ({
  type: 'key',
  press: parseKey(name),
  action: 'press',
  bytes: new Uint8Array(),
});

export const listed = (...sessions: readonly SessionInfo[]): OverviewEvent => ({
  type: 'sessions',
  link: 0,
  events: [{ type: 'sessions', sessions }],
});

export const changed = (session: SessionInfo): OverviewEvent => ({
  type: 'sessions',
  link: 0,
  events: [{ type: 'session', session }],
});

/** A model of one coordinator, in a window of 100x30. @param tabs null: it only chooses a session */
export const emptyModel = (
  size = { cols: 100, rows: 30 },
  tabs: Tabs | null = null,
): OverviewModel =>
  startModel({
    tabs,
    size,
    keys: new Keys({ key: 'b', ctrl: true }),
    nowMs: startMs,
    home: '/home/me',
    linkNames: ['default'],
    awaited: null,
  });

/** The model after events, a second after each other, and the effects of the last one. */
export function after(model: OverviewModel, ...events: readonly OverviewEvent[]): Step {
  let step: Step = { state: model, effects: [] };
  for (const event of events) step = update(step.state, event, step.state.nowMs + 1000);
  return step;
}

/** The model of these sessions, with all coordinators connected. */
export const modelOf = (...sessions: readonly SessionInfo[]): OverviewModel =>
  after(emptyModel(), listed(...sessions), {
    type: 'link',
    link: 0,
    state: 'connected',
    reason: '',
  }).state;

/** The model of these sessions, which can be shown in panes. */
export const panesModelOf = (...sessions: readonly SessionInfo[]): OverviewModel =>
  after(emptyModel(undefined, oneTab(noPanes())), listed(...sessions), {
    type: 'link',
    link: 0,
    state: 'connected',
    reason: '',
  }).state;

export const mouse = (input: MouseInput): OverviewEvent => ({
  type: 'event',
  event: { type: 'mouse', mouse: input },
});

/** The names of the rows, from top to bottom. */
export const names = ({ rows }: OverviewModel): string[] =>
  rows.map((row) => (row.type === 'session' ? row.entry.info.name : row.name));

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    'Overwrite? [y/N] ',
    '漢字漢字漢字',
    '👩‍👧👩‍👧',
    '\x1b[31mred',
    '',
    'a\nb\tc',
    '/home/me/src',
  ),
);

const anyTmuxPlace = fc.record({
  isPopup: fc.nat({ max: 3 }).map((each) => each === 0),
  session: fc.nat({ max: 1 }),
  of: fc.constantFrom('work', 'a b', '漢字'),
  window: fc.nat({ max: 2 }),
  at: fc.nat({ max: 3 }),
  marks: fc.constantFrom('-', 'active-', '+current-', 'active+current-'),
  windowName: fc.constantFrom('edit', 'a\u00e9漢'),
});

const anyInfo: fc.Arbitrary<SessionInfo> = fc
  .tuple(
    fc.integer({ min: 0, max: 12 }),
    fc.record({
      state: fc.constantFrom<ActivityState>(
        'running',
        'at_prompt',
        'awaiting_input',
        'password',
        'exited',
      ),
      attention: fc.option(
        fc.constantFrom<AttentionKind>(
          'input',
          'password',
          'prompt',
          'failed',
          'bell',
          'done',
          'quiet',
        ),
        { nil: undefined },
      ),
      evidence: anyText,
      sinceMs: fc.integer({ min: startMs, max: startMs + 5 }),
      createdAtMs: fc.integer({ min: startMs, max: startMs + 3 }),
      directory: anyText,
      command: fc.option(anyText),
      driver: fc.option(fc.constantFrom('agent' as const, 'person' as const), { nil: undefined }),
      canonical: fc.boolean(),
      title: anyText,
    }),
    fc.option(anyTmuxPlace, { freq: 2 }),
  )
  .map(([number, { attention, driver, ...facts }, place]) => {
    const all = { ...facts, ...defined({ attention, driver }) };
    const name = `session-${number}`;
    if (place === null) return sessionInfo(name, all);
    const { isPopup, session, of, ...ofPane } = place;
    return isPopup
      ? tmuxPopup(name, { ...all, session, of })
      : tmuxPane(name, { ...all, ...ofPane, session, of, pane: number });
  });

export const anyInfos = fc.uniqueArray(anyInfo, { maxLength: 10, selector: ({ id }) => id });

/** The frame of a terminal with output. */
export function frameOf(bytes: Uint8Array, size: { cols: number; rows: number }): RowFrame {
  const terminal = new Terminal({ size });
  terminal.feed(bytes);
  const { rows } = terminal.screenCells();
  return {
    revision: terminal.revision,
    size,
    full: true,
    rows: rows.map((cells, row) => ({ row, runs: runsOfCells(cells) })),
    cursor: terminal.cursor,
    alternate: terminal.alternate,
    title: terminal.title,
    modes: terminal.viewModes,
  };
}

const anySessionsEvent: fc.Arbitrary<SessionsEvent> = fc.oneof(
  anyInfos.map((sessions) => ({ type: 'sessions', sessions }) as const),
  anyInfo.map((session) => ({ type: 'session', session }) as const),
  fc
    .nat({ max: 12 })
    .map((n) => ({ type: 'removed', id: `id-session-${n}`, name: `session-${n}` }) as const),
  fc
    .tuple(
      fc.nat({ max: 12 }),
      output,
      fc.record({ cols: fc.integer({ min: 1, max: 90 }), rows: fc.integer({ min: 1, max: 30 }) }),
    )
    .map(
      ([n, bytes, size]) =>
        ({ type: 'frame', id: `id-session-${n}`, frame: frameOf(bytes, size) }) as const,
    ),
);

const typedKeys = [
  ...[
    'enter',
    't',
    'space',
    'y',
    'n',
    'i',
    ':',
    'tab',
    '*',
    'k',
    'x',
    'c',
    '/',
    'g',
    's',
    'f',
    'd',
  ],
  ...[
    'up',
    'down',
    'pageup',
    'pagedown',
    'home',
    'end',
    '?',
    'escape',
    'backspace',
    'a',
    'ü',
    '漢',
  ],
];

const anyMouse: fc.Arbitrary<OverviewEvent> = fc
  .record({
    action: fc.constantFrom(...mouseActions),
    button: fc.constantFrom('left' as const, 'right' as const, 'none' as const),
    row: fc.nat({ max: 40 }),
    col: fc.nat({ max: 130 }),
  })
  .map(mouse);

/** Anything that can happen to an overview. */
export const anyEvent: fc.Arbitrary<OverviewEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...typedKeys).map(key) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat({ max: 1 }), fc.array(anySessionsEvent, { minLength: 1, maxLength: 3 }))
      .map(([link, events]) => ({ type: 'sessions', link, events }) as const),
  },
  fc
    .record({ cols: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 60 }) })
    .map((size) => ({ type: 'window', size }) as const),
  fc
    .tuple(fc.nat({ max: 1 }), fc.constantFrom('connecting', 'connected', 'lost'), anyText)
    .map(([link, state, reason]) => ({ type: 'link', link, state, reason }) as OverviewEvent),
  fc
    .record({ row: fc.nat({ max: 60 }), col: fc.nat({ max: 220 }) })
    .map((at) => ({ type: 'event', event: { type: 'mouse', mouse: { action: 'press', ...at } } })),
  anyText.map((text) => ({ type: 'event', event: { type: 'paste', text } }) as const),
  fc
    .tuple(fc.nat({ max: 12 }), anyText)
    .map(
      ([n, text]) =>
        ({ type: 'lastLines', lines: new Map([[`0/id-session-${n}`, text]]) }) as const,
    ),
  fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 12 }), anyText).map(
    ([id, n, text]) =>
      ({
        type: 'found',
        id,
        finds: [{ key: `0/id-session-${n}`, line: n, text, start: 0, end: 2 }],
        isCut: false,
      }) as const,
  ),
  anyText.map((text) => ({ type: 'notice', text, isError: true }) as const),
) as fc.Arbitrary<OverviewEvent>;

const anyEnd: fc.Arbitrary<AttachEnd> = fc.constantFrom<AttachEnd>(
  { type: 'detached', session: 'a' },
  { type: 'removed', session: 'a' },
  { type: 'lost', reason: 'it has gone' },
  { type: 'overview', session: { name: 'a', id: 'id-a' } },
);

/** Anything that can happen to an overview with panes: events that follow one another. */
export const anyPaneEvents: fc.Arbitrary<readonly OverviewEvent[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...keyRows('panes').flatMap(({ keys }) => keys))
      .map((name) => [key('ctrl+b'), key(name)]),
  },
  { weight: 3, arbitrary: fc.array(anyMouse, { minLength: 1, maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.nat({ max: 12 }),
        fc.constantFrom('here' as const, 'row' as const, 'column' as const, 'tab' as const),
      )
      .map(([n, opens]): OverviewEvent[] => [
        { type: 'spawned', link: 0, info: sessionInfo(`session-${n}`), opens },
      ]),
  },
  fc
    .tuple(fc.nat({ max: 20 }), anyEnd)
    .map(([pane, end]): OverviewEvent[] => [{ type: 'paneEnded', pane, end }]),
  anyEvent.map((each) => [each]),
);
