import { maxWaitMs, type Size, type SpawnedSession } from '#model';
import { signalNumber } from '../../format/foreground.ts';
import { programEnvironment } from '../../state/environment.ts';
import { isDirectory } from '../../state/pane-programs.ts';
import type { AttachedClient, TmuxServer } from '../../state/tmux-server.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import type { Call } from '../call.ts';

/** What ends the popup that a client has. */
const popups = new WeakMap<AttachedClient, () => void>();

/**
 * Runs a command in a session of its own until it ends, its client is detached, or `-C` closes it. Nobody sees it
 * in tmux; people can in vtr. The status of the caller is that of the command.
 *
 * @throws TmuxError
 */
export async function displayPopup(
  call: Call,
  args: Arguments,
  client: AttachedClient,
): Promise<void> {
  if (args.has('C')) return popups.get(client)?.();
  // As in tmux: a client has one.
  if (popups.has(client)) return;
  const size = sizeOf(args, client);
  const target = call.target(args, 'pane');
  if (size === null) return;
  const { server } = call;
  const { coordinator } = server.programs;
  let popup: SpawnedSession | null = null;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    if (popup !== null) coordinator.end(popup).catch(() => {});
  };
  popups.set(client, close);
  const notices = server.notices.on(({ name }) => {
    if (name === 'client-detached' && !server.clients.has(client)) close();
  });
  server.ended.addEventListener('abort', close);
  try {
    popup = await spawned(call, args, target, size);
    if (isClosed) close();
    const status = await endOf(server, popup);
    if (call.caller.client === null) call.output.status = status;
  } finally {
    server.ended.removeEventListener('abort', close);
    notices.dispose();
    popups.delete(client);
    if (popup !== null) await coordinator.remove(popup).catch(() => {});
  }
}

/** The size inside the border; null if there is no room in it. @throws TmuxError */
function sizeOf(args: Arguments, client: AttachedClient): Size | null {
  const length = (flag: string, name: string, total: number) => {
    const given = args.value(flag);
    if (given === undefined) return total >> 1;
    if (!given.endsWith('%')) return wholeNumber(given, 1, total, name);
    return Math.floor((total * wholeNumber(given.slice(0, -1), 0, 100, name)) / 100);
  };
  const border = args.has('B') || args.value('b') === 'none' ? 0 : 2;
  const rows = length('h', 'height', client.rows) - border;
  const cols = length('w', 'width', client.cols) - border;
  return cols < 1 || rows < 1 ? null : { cols, rows };
}

async function spawned(
  call: Call,
  args: Arguments,
  target: Target,
  size: Size,
): Promise<SpawnedSession> {
  const { server, caller } = call;
  const { session } = target;
  const [given, ...more] = args.words;
  const first = given ?? session.options.text('default-command');
  if (first === '') {
    throw new TmuxError('vtr does not support display-popup without a command: use new-window');
  }
  const directory = args.value('d');
  const asked = directory === undefined ? session.cwd : await call.expand(directory, target);
  const env = programEnvironment(server.environment, session.environment);
  // As in tmux, words without a value are ignored.
  const added = args.values('e').flatMap((each) => {
    const equals = each.indexOf('=');
    return equals < 1 ? [] : [[each.slice(0, equals), each.slice(equals + 1)] as const];
  });
  const cwd = [asked, env['HOME'] ?? '/'].find(isDirectory) ?? '/';
  return server.programs.coordinator.spawn({
    ...(more.length === 0
      ? { program: session.options.text('default-shell'), args: ['-c', first] }
      : { program: first, args: more }),
    cwd,
    caller: { variables: {}, notPassed: [] },
    env: {
      ...env,
      ...(caller.client === null && caller.env['PATH'] !== undefined
        ? { PATH: caller.env['PATH'] }
        : {}),
      ...Object.fromEntries(added),
      PWD: cwd,
      TMUX: `${server.socketPath},${server.programs.pid},${session.id}`,
    },
    size,
  });
}

/** Waits for the end of a popup. @returns its exit status; 128 and the number of the signal that ended it */
async function endOf({ programs }: TmuxServer, popup: SpawnedSession): Promise<number> {
  const request = { timeoutMs: maxWaitMs, tail: { maxLines: 0 } };
  for (;;) {
    const { outcome, exitStatus } = await programs.coordinator.wait(popup, request);
    if (outcome === 'timed_out') continue;
    const { code = null, signal = null } = exitStatus ?? {};
    return code ?? 128 + (signal === null ? 0 : (signalNumber(signal) ?? 0));
  }
}
