import { defined, ignored } from '#base';
import { maxWaitMs, type Size } from '#model';
import { boxLinesOf } from '../../drawing/canvas.ts';
import { styleOf } from '../../drawing/styles.ts';
import { FormatContext } from '../../format/context.ts';
import { expandWithTime } from '../../format/expand.ts';
import { signalNumber } from '../../format/foreground.ts';
import { allVariables } from '../../format/variables.ts';
import type { AttachedClient } from '../../state/attached-client.ts';
import type { ShownPopup } from '../../state/client-terminal.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { PaneSession } from '../../state/tmux-window.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import { type Call, type Command, type Commands, many } from '../call.ts';
import { clientOf, latestClient } from './clients.ts';
import { placeOf } from './places.ts';

/** A command for a client. Without one it fails as in tmux. */
const asking = (
  row: Omit<Command, 'run'>,
  clientFlag: string,
  ask: (call: Call, args: Arguments, client: AttachedClient) => void | Promise<void>,
): Command => ({ ...row, run: (call, args) => ask(call, args, clientOf(call, args, clientFlag)) });

/** Kinds of prompts that have a history. */
const promptTypes = ['command', 'search', 'target', 'window-target'] as const;

/** What ends the popup that a client has. */
const popups = new WeakMap<AttachedClient, () => void>();

export const peopleCommands = {
  'display-popup': asking(
    {
      usage:
        '[-BCE] [-b border-lines] [-c target-client] [-d start-directory] [-e environment] [-h height] [-s style] [-S border-style] [-t target-pane][-T title] [-w width] [-x position] [-y position] [shell-command]',
      words: [0, many],
      waits: true,
    },
    'c',
    displayPopup,
  ),
  'lock-client': asking({ usage: '[-t target-client]' }, 't', (_call, _args, client) =>
    client.terminal?.lock(),
  ),
  'lock-server': {
    usage: '',
    run: ({ server }) => {
      for (const { terminal } of server.clients) terminal?.lock();
    },
  },
  'lock-session': {
    usage: '[-t target-session]',
    run: (call, args) => {
      const { session } = call.target(args, 'session');
      for (const client of call.server.clients) {
        if (client.session === session) client.terminal?.lock();
      }
    },
  },
  'suspend-client': asking({ usage: '[-t target-client]' }, 't', (_call, _args, client) =>
    client.terminal?.suspend(),
  ),
  'show-prompt-history': {
    usage: '[-T type]',
    run: (call, args) => {
      for (const type of typesOf(args)) {
        call.print(`History for ${type}:\n`);
        const answers = call.server.answers.get(type) ?? [];
        for (const [at, answer] of answers.entries()) call.print(`${at + 1}: ${answer}`);
        call.print('');
      }
    },
  },
  'clear-prompt-history': {
    usage: '[-T type]',
    run: (call, args) => {
      for (const type of typesOf(args)) call.server.answers.delete(type);
    },
  },
  'server-access': {
    usage: '[-adlrw] [-t target-pane] [user]',
    words: [0, 1],
    run: serverAccess,
  },
} satisfies Commands;

/** @throws TmuxError */
function typesOf(args: Arguments): readonly (typeof promptTypes)[number][] {
  const value = args.value('T');
  if (value === undefined) return promptTypes;
  const type = promptTypes.find((each) => each === value);
  if (type === undefined) throw new TmuxError(`invalid type: ${value}`);
  return [type];
}

/** Nobody but the user reaches the socket of vtr, so there is nobody to list or to remove. @throws TmuxError */
function serverAccess(_call: Call, args: Arguments): void {
  if (args.has('l')) return;
  const [user] = args.words;
  if (user === undefined) throw new TmuxError('missing user argument');
  if (args.has('a') && args.has('d')) throw new TmuxError('-a and -d cannot be used together');
  if (args.has('r') && args.has('w')) throw new TmuxError('-r and -w cannot be used together');
  if (args.has('d')) throw new TmuxError(`user ${user} not found`);
  throw new TmuxError('vtr does not support server-access -a: its socket is private to its user');
}

/**
 * Runs a command in a session of its own until it ends, its client is detached, or `-C` closes it. A terminal shows it
 * in a box; nobody sees that of a client in control mode, as in tmux, but people can in vtr. The status of the caller
 * is that of the command.
 *
 * @throws TmuxError
 */
async function displayPopup(call: Call, args: Arguments, client: AttachedClient): Promise<void> {
  if (args.has('C')) return popups.get(client)?.();
  // As in tmux: a client has one.
  if (popups.has(client)) return;
  const size = sizeOf(args, client);
  const target = call.target(args, 'pane');
  if (size === null) return;
  const { server } = call;
  const { coordinator } = server.programs;
  let popup: PaneSession | null = null;
  let shown: ShownPopup | null = null;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    shown?.close();
    if (popup !== null) ignored(coordinator.end(popup), 'it may have ended already');
  };
  popups.set(client, close);
  const notices = server.notices.on(({ name }) => {
    if (name === 'client-detached' && !server.clients.has(client)) close();
  });
  server.ended.addEventListener('abort', close);
  try {
    popup = await popupSession(call, args, target, size);
    shown = await shownPopup(call, args, { client, target, popup, size });
    void shown?.closed.then(close);
    if (isClosed) close();
    const status = await endOf(server, popup);
    if (call.caller.client === null) call.output.status = status;
    const stays = !args.has('E') || (args.count('E') > 1 && status !== 0);
    if (stays) shown?.ended();
    else shown?.close();
    await shown?.closed;
  } finally {
    server.ended.removeEventListener('abort', close);
    notices.dispose();
    popups.delete(client);
    if (popup !== null)
      await ignored(coordinator.remove(popup), 'it may have been removed already');
  }
}

interface Popup {
  readonly client: AttachedClient;
  readonly target: Target;
  readonly popup: PaneSession;
  /** Inside the border. */
  readonly size: Size;
}

/** Shows a popup in a terminal; null without one. */
async function shownPopup(
  call: Call,
  args: Arguments,
  { client, target, popup, size }: Popup,
): Promise<ShownPopup | null> {
  const { terminal } = client;
  if (terminal === null) return null;
  const { options } = target.link.window;
  const lines = args.has('B')
    ? 'none'
    : boxLinesOf(args.value('b') ?? options.text('popup-border-lines'));
  const border = lines === 'none' ? 0 : 2;
  const box = { cols: size.cols + border, rows: size.rows + border };
  const place = (await placeOf(call, args, { client, target }))(box);
  const styled = async (flag: string, name: 'popup-style' | 'popup-border-style') =>
    styleOf(await call.expand(args.value(flag) ?? options.text(name), target));
  return terminal.popup({
    session: popup,
    box: { ...box, ...place },
    lines,
    style: await styled('s', 'popup-style'),
    borderStyle: await styled('S', 'popup-border-style'),
    title: await call.expand(args.value('T') ?? '', target),
    isClosedByKey: !args.has('E'),
  });
}

/** The size inside the border; null if there is no room in it. @throws TmuxError */
function sizeOf(args: Arguments, client: AttachedClient): Size | null {
  const length = (flag: string, name: string, total: number) => {
    const value = args.value(flag);
    if (value === undefined) return total >> 1;
    if (!value.endsWith('%')) return wholeNumber(value, 1, total, name);
    return Math.floor((total * wholeNumber(value.slice(0, -1), 0, 100, name)) / 100);
  };
  const border = args.has('B') || args.value('b') === 'none' ? 0 : 2;
  const rows = length('h', 'height', client.rows) - border;
  const cols = length('w', 'width', client.cols) - border;
  return cols < 1 || rows < 1 ? null : { cols, rows };
}

async function popupSession(
  call: Call,
  args: Arguments,
  target: Target,
  size: Size,
): Promise<PaneSession> {
  const { server, caller } = call;
  const { session } = target;
  const directory = args.value('d');
  const cwd = directory === undefined ? session.cwd : await call.expand(directory, target);
  // As in tmux, words without a value are ignored.
  const added = args.values('e').flatMap((each) => {
    const equals = each.indexOf('=');
    return equals < 1 ? [] : [[each.slice(0, equals), each.slice(equals + 1)] as const];
  });
  const path = caller.client === null ? caller.env['PATH'] : undefined;
  const env = { ...defined({ PATH: path }), ...Object.fromEntries(added) };
  return server.programs.startPopup(server, session, { words: args.words, cwd, env }, size);
}

/** Waits for the end of a popup. @returns its exit status; 128 and the number of the signal that ended it */
async function endOf({ programs }: TmuxServer, popup: PaneSession): Promise<number> {
  const request = { timeoutMs: maxWaitMs, tail: { maxLines: 0 } };
  for (;;) {
    const { outcome, exitStatus } = await programs.coordinator.wait(popup, request);
    if (outcome === 'timed_out') continue;
    const { code = null, signal = null } = exitStatus ?? {};
    return code ?? 128 + (signal === null ? 0 : (signalNumber(signal) ?? 0));
  }
}

/** The client that `display-message` is about: the caller's own if it shows the session, else the one used last. */
function shownBy({ server, caller }: Call, target: Target | null): AttachedClient | null {
  const { client } = caller;
  if (client !== null && client.session === target?.session) return client;
  return target === null ? null : latestClient(server, target.session);
}

const messageFormat =
  '[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M %d-%b-%y)';

export const displayCommands = {
  'display-message': {
    usage: '[-aINpv] [-c target-client] [-d delay] [-F format] [-t target-pane] [message]',
    words: [0, 1],
    run: async (call, args) => {
      if (args.has('I')) throw new TmuxError('vtr does not support display-message -I');
      const { server } = call;
      const value = args.value('t');
      const target =
        value === undefined
          ? call.targetOrNull(args, 'pane')
          : call.targets.findPartly(value, 'pane');
      if (args.has('a')) {
        const about = call.about(target, {}, shownBy(call, target));
        for (const [name, text] of await allVariables(about)) {
          call.print(`${name}=${text}`);
        }
        return;
      }
      const [word] = args.words;
      if (args.has('F') && word !== undefined) {
        throw new TmuxError('only one of -F or argument must be given');
      }
      const format = word ?? args.value('F') ?? messageFormat;
      const about = call.about(target, {}, shownBy(call, target));
      const log = args.has('v') ? (step: string) => call.print(step) : null;
      const text = await expandWithTime(format, new FormatContext({ ...about, log }));
      if (args.has('p')) return call.print(text);
      // As in tmux: without a client, nothing is said.
      const client = !args.has('c') && server.clients.size === 0 ? null : clientOf(call, args, 'c');
      const ms =
        args.number('d', 0, 2_147_483_647) ?? target?.session.options.number('display-time');
      client?.terminal?.tell(text, ms ?? 750, false);
    },
  },
  'show-messages': {
    usage: '[-JT] [-t target-client]',
    run: (call) => {
      for (const message of call.server.messages) call.print(message);
    },
  },
} satisfies Commands;
