import { defined } from '#base';
import { FormatContext } from '../../format/context.ts';
import type { AttachedClient, Detaching } from '../../state/attached-client.ts';
import type { TmuxServer } from '../../state/tmux-server.ts';
import type { TmuxSession } from '../../state/tmux-session.ts';
import { targetOf } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import { type Arguments, wholeNumber } from '../../words/arguments.ts';
import type { Call, Commands } from '../call.ts';
import { attachToExisting, checkAttachable, copyEnvironment } from '../windows/sessions.ts';

const clientFormat =
  '#{client_name}: #{session_name} [#{client_width}x#{client_height} #{client_termname}] ' +
  '#{?#{!=:#{client_uid},#{uid}},[user #{?client_user,#{client_user},#{client_uid},}] ,}' +
  '#{?client_flags,(,}#{client_flags}#{?client_flags,),}';

export const clientCommands = {
  'attach-session': {
    usage: '[-dErx] [-c working-directory] [-f flags] [-t target-session]',
    run: async (call, args) => {
      if (call.server.sessions.size === 0) throw new TmuxError('no sessions');
      const target = call.target(args, args.value('t')?.match(/[:.]/) ? 'pane' : 'session');
      checkAttachable(call);
      const { server } = call;
      if (args.has('d') || args.has('x')) {
        for (const client of [...server.clients]) {
          if (client.session !== target.session || client === call.caller.client) continue;
          client.detach(undefined, args.has('x') ? { hangsUp: true } : {});
        }
      }
      if (args.has('c')) {
        const directory = await call.expand(args.value('c') ?? '', target);
        target.session.cwd = directory;
      }
      server.selectLink(target.link);
      const before = target.link.window.active;
      target.link.window.select(target.pane);
      server.tellActive(target.link.window, before);
      if (call.caller.attach !== null && !args.has('E')) {
        copyEnvironment(target.session, call.caller.env);
      }
      const client = attachToExisting(call, target);
      for (const flag of args.value('f')?.split(',') ?? []) client?.flags.add(flag);
      if (args.has('r')) client?.flags.add('read-only');
    },
  },
  'switch-client': {
    usage: '[-ElnprZ] [-c target-client] [-t target-session] [-T key-table]',
    run: switchClient,
  },
  'list-clients': {
    usage: '[-F format] [-t target-session]',
    run: (call, args) => {
      const { server } = call;
      const only = args.has('t') ? call.target(args, 'session').session : null;
      const all = [...server.clients]
        .filter(({ session }) => only === null || session === only)
        .map((client) => {
          const { session, link, pane } = targetOf(client.session.current);
          return new FormatContext({ server, client, session, link, pane });
        });
      return call.printAll(all, args.value('F') ?? clientFormat, args.value('f'));
    },
  },
  'detach-client': {
    usage: '[-aP] [-E shell-command] [-s target-session] [-t target-client]',
    run: (call, args) => {
      const { server } = call;
      const how: Detaching = defined({
        command: args.value('E'),
        hangsUp: args.has('P') || undefined,
      });
      if (args.has('s')) {
        const { session } = call.target(args, 'session', 's');
        for (const client of [...server.clients]) {
          if (client.session === session) client.detach(undefined, how);
        }
        return;
      }
      const client = clientOf(call, args, 't');
      if (!args.has('a')) return client.detach(undefined, how);
      for (const each of [...server.clients]) if (each !== client) each.detach(undefined, how);
    },
  },
  'refresh-client': {
    usage:
      '[-cDlLRSU] [-A pane:state] [-B name:what:format] [-C XxY] [-f flags] [-t target-client] [adjustment]',
    words: [0, 1],
    run: async (call, args) => {
      const client = clientOf(call, args, 't');
      for (const flags of [args.value('f'), args.value('F')]) {
        for (const flag of flags?.split(',') ?? []) {
          if (flag.startsWith('!')) client.flags.delete(flag.slice(1));
          else client.flags.add(flag);
        }
      }
      for (const text of args.values('B')) {
        if (client.subscribe === undefined) throw new TmuxError('not a control client');
        client.subscribe(text);
      }
      pan(client, args);
      client.terminal?.redraw();
      const size = args.value('C');
      if (size === undefined) return;
      const [, window, cols, rows] = /^(?:@(\d+):)?(?:(\d+)[x,](\d+))?$/.exec(size) ?? [];
      const isPossible = [cols, rows].every((each) => Number(each) >= 1 && Number(each) <= 10_000);
      if (cols !== undefined && !isPossible) throw new TmuxError('size too small or too big');
      const whole = { cols: Number(cols), rows: Number(rows) };
      if (window !== undefined) {
        await client.resizeWindow?.(Number(window), cols === undefined ? null : whole);
      } else if (cols === undefined) throw new TmuxError('bad size argument');
      else await client.resize(whole.cols, whole.rows);
    },
  },
} satisfies Commands;

/** Moves what a client shows of a window that is larger than its terminal. @throws TmuxError */
function pan({ terminal }: AttachedClient, args: Arguments): void {
  if (terminal === null) return;
  if (args.has('c')) {
    terminal.pan(null);
    return;
  }
  const amount = wholeNumber(args.words[0] ?? '1', 1, 2_147_483_647, 'adjustment');
  if (args.has('U')) terminal.pan({ rows: -amount, cols: 0 });
  else if (args.has('D')) terminal.pan({ rows: amount, cols: 0 });
  else if (args.has('L')) terminal.pan({ rows: 0, cols: -amount });
  else if (args.has('R')) terminal.pan({ rows: 0, cols: amount });
}

/** @throws TmuxError */
function switchClient(call: Call, args: Arguments): void {
  const { server } = call;
  const client = clientOf(call, args, 'c');
  const table = args.value('T');
  if (table !== undefined) {
    if (server.keys.of(table) === null) throw new TmuxError(`table ${table} doesn't exist`);
    client.terminal?.useKeyTable(table);
    return;
  }
  const value = args.value('t');
  if (args.has('n') || args.has('p')) {
    const { sorted } = server;
    const at = sorted.indexOf(client.session) + (args.has('n') ? 1 : -1) + sorted.length;
    client.session = sorted[at % sorted.length] ?? client.session;
  } else if (args.has('l')) {
    const last = client.lastSession;
    if (last === null || !server.sessions.has(last.id)) {
      throw new TmuxError("can't find last session");
    }
    client.session = last;
  } else {
    const isOfPane = value !== undefined && /[:.%@]/.test(value);
    const target = call.target(args, isOfPane ? 'pane' : 'session');
    if (isOfPane) {
      server.selectLink(target.link);
      const { window } = target.link;
      const before = window.active;
      window.select(target.pane);
      server.tellActive(window, before);
    }
    client.session = target.session;
  }
  if (!args.has('E')) copyEnvironment(client.session, client.env);
  client.session.lastAttachedAtMs = server.nowMs();
  server.use(client.session, client);
}

/** The client used last of those that show a session, else of all; null without clients. */
export function latestClient(
  { clients }: TmuxServer,
  session: TmuxSession | undefined,
): AttachedClient | null {
  const latest = [...clients].sort((one, two) => two.activity - one.activity);
  return latest.find((each) => each.session === session) ?? latest[0] ?? null;
}

/**
 * The client of a flag, or the caller's own: of a program in a pane, the one used last of those that show its session,
 * else of all.
 *
 * @throws TmuxError
 */
export function clientOf(
  { server, caller, targets }: Call,
  args: Arguments,
  flag: string,
): AttachedClient {
  const name = args.value(flag)?.replace(/:$/, '');
  const client =
    name === undefined
      ? (caller.client ?? latestClient(server, targets.current()?.session))
      : [...server.clients].find((each) => each.name === name || each.name === `/dev/${name}`);
  if (client) return client;
  throw new TmuxError(name === undefined ? 'no current client' : `can't find client: ${name}`);
}
