import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  initialViewModes,
  type MouseInput,
  type MouseTracking,
  type TmuxEnd,
  type TmuxLink,
  tmuxFrameText,
} from '#model';
import type { Picture, TtyEvent } from '#tty';
import { FakeTty } from '../../../../test/support/tui/fake-tty.ts';
import { keyEvent } from '../../../../test/support/tui/viewed-session.ts';
import type { AttachedSession } from '../attach/attached-session.ts';
import type { AttachEnd, AttachSettings } from '../attach/scene.ts';
import type { CoordinatorLink } from '../coordinator-link.ts';
import { Keys } from '../keys.ts';
import type { Tty } from '../tty-screen/tty.ts';
import { type AttachIn, OpenPanes, type WantedPane } from './open-panes.ts';

afterEach(() => vi.useRealTimers());

const textOf = (event: TtyEvent): string => {
  if (event.type === 'key') return event.press.key;
  if (event.type === 'mouse') return `${event.mouse.action} ${event.mouse.row},${event.mouse.col}`;
  return event.type === 'focus' ? `focus ${event.focused}` : event.type;
};

/** Panes whose sessions only note what their terminals report. */
function opened() {
  const calls: string[] = [];
  const ttys = new Map<string, Tty>();
  const ends = new Map<string, (end: AttachEnd) => void>();
  const commands = new Set<string>();
  const attachIn: AttachIn = (tty, options, shows) => {
    const { name } = options.session;
    ttys.set(name, tty);
    tty.onEvents((events) => calls.push(...events.map((each) => `${name} ${textOf(each)}`)));
    tty.onResize(({ cols, rows }) => calls.push(`${name} ${cols}x${rows}`));
    return new Promise((resolve) => {
      ends.set(name, resolve);
      const attached = {
        isCommand: () => commands.has(name),
        detach: () => resolve({ type: 'detached', session: name }),
      };
      shows(attached as unknown as AttachedSession, options);
    });
  };
  const settings: AttachSettings = {
    keys: new Keys(null),
    status: 'off',
    clipboard: false,
    bell: 'attached',
    notifications: 'pass',
    endsWithProgram: false,
  };
  const panes = new OpenPanes({
    tty: new FakeTty({ cols: 80, rows: 24 }, {} as never),
    person: 'ann',
    settings,
    attachIn,
    changed: () => calls.push('changed'),
    shows: (pane, { session }) => calls.push(`${pane} shows ${session.name}`),
    showsTmux: (pane, name) => calls.push(`${pane} is ${name}`),
    ended: (pane, { type }) => calls.push(`${pane} ${type}`),
    failed: (error) => calls.push(String(error)),
  });
  return { panes, told: calls, ttys, ends, commands, taken: () => calls.splice(0) };
}

const request = (id: number, hasFocus = false, cols = 40): WantedPane => ({
  id,
  link: {} as CoordinatorLink,
  session: { name: `s${id}`, id: `id-s${id}` },
  as: 'auto',
  line: undefined,
  size: { cols, rows: 10 },
  hasFocus,
  isOfShownTab: true,
});

it('keeps what another tab shows, in its size, and does not draw it', () => {
  const { panes, taken, ttys } = opened();
  panes.follow([request(1, true), { ...request(2), isOfShownTab: false }]);
  expect([...ttys.keys()]).toEqual(['s1']);
  taken();
  panes.follow([{ ...request(1, false, 20), isOfShownTab: false }, request(2, true)]);
  expect([...ttys].map(([name, { size }]) => [name, size.cols])).toEqual([
    ['s1', 40],
    ['s2', 40],
  ]);
  taken();
  ttys.get('s1')?.show(() => ({}) as Picture);
  expect(taken()).toEqual([]);
  ttys.get('s2')?.show(() => ({}) as Picture);
  expect(taken()).toEqual(['changed']);
});

describe('a session of tmux in a pane', () => {
  const frameText = (session: string, end: TmuxEnd | null): string =>
    tmuxFrameText({
      session,
      size: { cols: 40, rows: 10 },
      full: true,
      rows: [],
      cursor: { row: 0, col: 0, wrapPending: false, visible: true, shape: 'block', blinking: true },
      title: null,
      mouse: 'button',
      bells: 0,
      clipboard: null,
      suspends: false,
      locks: null,
      end,
    });
  const picture = (session: string) => frameText(session, null);
  const tmuxPane = (attach: TmuxLink['attach']) => {
    const lines: string[] = [];
    const frames: string[] = [];
    let asks = 0;
    let wake: () => void = () => {};
    const tmux: TmuxLink = {
      attach,
      again: async () => ({ id: null, isStopped: true }),
      control: async (_id, events) => {
        if (events !== null) {
          lines.push(...events);
          return { output: '', ended: false };
        }
        asks++;
        if (frames.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        return { output: frames.shift() ?? '', ended: false };
      },
    };
    const ofPane = { ...request(1, true), link: { tmux } as unknown as CoordinatorLink };
    return {
      ...opened(),
      lines,
      pane: { ...ofPane, tmux: '/tmp/tmux-0/default' },
      asks: () => asks,
      frame: (text: string) => {
        frames.push(text);
        wake();
      },
    };
  };

  it('is a client of its server, which has the mouse and gets all that is done', async () => {
    const attached: unknown[] = [];
    const { panes, pane, lines, told, frame } = tmuxPane(async (...of) => {
      attached.push(of);
      return { stdout: '', stderr: '', status: 0, controlId: 'c' };
    });
    panes.follow([pane]);
    // It waits until the client is attached.
    panes.sendTmux(1, { type: 'run', commands: 'select-window -t @2' });
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    const words = ['attach-session', '-t', '=s1:'];
    expect(attached).toEqual([['/tmp/tmux-0/default', words, { cols: 40, rows: 10 }]]);
    frame(picture('job'));
    await vi.waitFor(() => expect(told).toContain('1 is job'));
    await vi.waitFor(() => expect(panes.modes(1).mouse).toBe('button'));
    // The next one is asked for when this one is drawn.
    panes.picture(1);
    panes.read([1], keyEvent('x'));
    await vi.waitFor(() => expect(lines).toHaveLength(3));
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['usesMouse', 'run', 'key']);
    frame(frameText('job', { message: 'detached', status: 0 }));
    await vi.waitFor(() => expect(told.at(-1)).toBe('1 detached'));
  });

  it('is made where that is wanted', async () => {
    const commands: (readonly string[])[] = [];
    const { panes, pane } = tmuxPane(async (_server, words) => {
      commands.push(words);
      return { stdout: '', stderr: '', status: 0, controlId: 'c' };
    });
    panes.follow([{ ...pane, makes: true }]);
    await vi.waitFor(() => expect(commands).toEqual([['new-session', '-A', '-s', 's1']]));
  });

  it('says why there is none', async () => {
    const { panes, pane, told } = tmuxPane(async () => ({
      stdout: '',
      stderr: "can't find session: s1\n",
      status: 1,
    }));
    panes.follow([pane]);
    await vi.waitFor(() => expect(told.at(-1)).toBe('1 lost'));
  });

  it('goes on in a tab that is not shown, at a slow pace', async () => {
    vi.useFakeTimers();
    const { panes, pane, frame, asks } = tmuxPane(async () => ({
      stdout: '',
      stderr: '',
      status: 0,
      controlId: 'c',
    }));
    panes.follow([pane]);
    await vi.advanceTimersByTimeAsync(0);
    panes.follow([{ ...pane, isOfShownTab: false }]);
    frame(picture('s1'));
    await vi.advanceTimersByTimeAsync(1_900);
    expect(asks()).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(asks()).toBe(2);
  });
});

it('attaches to what is wanted, in its size, and leaves all else', async () => {
  const { panes, told, taken, ttys, ends } = opened();
  panes.follow([request(1, true), request(2)]);
  expect([...ttys.values()].map(({ size }) => size.cols)).toEqual([40, 40]);
  // The person looks at the pane with the focus only.
  expect(taken()).toEqual(['s2 focus false']);
  panes.follow([request(1, false, 30), request(2, true)]);
  expect(taken()).toEqual(['s1 30x10', 's1 focus false', 's2 focus true']);
  panes.follow([request(2, true), request(3)]);
  expect(taken()).toEqual(['s3 focus false']);
  ends.get('s3')?.({ type: 'lost', reason: 'gone' });
  await vi.waitFor(() => expect(told).toEqual(['3 lost']));
  await panes.end();
  expect(told).toEqual(['3 lost']);
  expect(panes.picture(2)).toBeNull();
});

it('shows the newest picture of a pane, which is drawn when it is needed', () => {
  const { panes, ttys, taken } = opened();
  panes.follow([request(1, true)]);
  let drawn = 0;
  const picture = (title: string) => () => {
    drawn++;
    return { size: { cols: 40, rows: 10 }, rows: [], title, reverseVideo: false } as never;
  };
  expect(panes.picture(1)).toBeNull();
  ttys.get('s1')?.show(picture('a'));
  ttys.get('s1')?.show(picture('b'));
  expect([taken(), drawn]).toEqual([['changed', 'changed'], 0]);
  expect([panes.picture(1)?.title, panes.picture(1)?.title, drawn]).toEqual(['b', 'b', 1]);
});

it('gives what is typed to several panes, but not where keys are commands', () => {
  const { panes, taken, commands } = opened();
  panes.follow([request(1, true), request(2, true), request(3, true)]);
  commands.add('s3');
  panes.read([1, 2, 3], keyEvent('x'));
  expect(taken()).toEqual(['s2 x', 's1 x']);
  // A key that scrolls, or answers what is asked after an end, is not typed elsewhere.
  commands.add('s1');
  panes.read([1, 2, 3], keyEvent('q'));
  expect(taken()).toEqual(['s1 q']);
});

it.each<[MouseTracking, readonly string[]]>([
  ['none', []],
  ['normal', ['press', 'scrollUp']],
  ['button', ['press', 'scrollUp', 'move']],
  ['any', ['press', 'scrollUp', 'move', 'move']],
])('a pane gets the events of the mouse that it asked for: %s', (mouse, expected) => {
  const { panes, taken, ttys } = opened();
  panes.follow([request(1, true)]);
  const modes = { ...initialViewModes, kittyFlags: 1 };
  ttys.get('s1')?.setModes(modes, mouse);
  expect(panes.modes(1)).toEqual({ modes, mouse });
  const events: readonly MouseInput[] = [
    { action: 'press', row: 1, col: 2 },
    { action: 'scrollUp', row: 1, col: 2 },
    { action: 'move', button: 'left', row: 1, col: 2 },
    { action: 'move', row: 1, col: 2 },
  ];
  for (const each of events) panes.read([1], { type: 'mouse', mouse: each });
  expect(taken().map((each) => each.split(' ')[1])).toEqual(expected);
});
