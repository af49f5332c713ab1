import { FormatContext } from '../../format/context.ts';
import type { AttachedClient } from '../../state/tmux-server.ts';
import { targetOf } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call, Commands } from '../call.ts';
import { attach, checkAttachable } from '../windows/sessions.ts';

const clientFormat =
  '#{client_name}: #{session_name} [#{client_width}x#{client_height} #{client_termname}] ' +
  '#{?#{!=:#{client_uid},#{uid}},[user #{?client_user,#{client_user},#{client_uid},}] ,}' +
  '#{?client_flags,(,}#{client_flags}#{?client_flags,),}';

export const clientCommands = {
  'attach-session': {
    usage: '[-dErx] [-c working-directory] [-f flags] [-t target-session]',
    run: (call, args) => {
      if (call.server.sessions.size === 0) throw new TmuxError('no sessions');
      const target = call.target(args, args.value('t')?.match(/[:.]/) ? 'pane' : 'session');
      checkAttachable(call);
      const { server } = call;
      if (args.has('d') || args.has('x')) {
        for (const client of [...server.clients]) {
          if (client.session === target.session && client !== call.caller.client) client.detach();
        }
      }
      server.selectLink(target.link);
      target.link.window.select(target.pane);
      attach(call, target);
    },
  },
  'switch-client': {
    usage: '[-ElnprZ] [-c target-client] [-t target-session] [-T key-table]',
    run: (call, args) => {
      const client = clientOf(call, args, 'c');
      const sorted = call.server.sorted;
      const step = args.has('n') ? 1 : args.has('p') ? -1 : 0;
      if (args.has('l')) throw new TmuxError("can't find last session");
      if (args.has('T')) return;
      const at = (sorted.indexOf(client.session) + step + sorted.length) % sorted.length;
      const session = step === 0 ? call.target(args, 'session').session : sorted[at];
      if (session === undefined) return;
      client.session = session;
      call.server.use(session);
      call.server.notices.emit({ name: 'client-session-changed', session });
    },
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
      if (args.has('s')) {
        const { session } = call.target(args, 'session', 's');
        for (const client of [...server.clients]) if (client.session === session) client.detach();
        return;
      }
      const client = clientOf(call, args, 't');
      if (!args.has('a')) return client.detach();
      for (const each of [...server.clients]) if (each !== client) each.detach();
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
      const size = args.value('C');
      if (size === undefined) return;
      const [, cols, rows] = /^(?:@\d+:)?(\d+)[x,](\d+)$/.exec(size) ?? [];
      if (cols === undefined) throw new TmuxError('bad size argument');
      const isPossible = [cols, rows].every((each) => Number(each) >= 1 && Number(each) <= 10_000);
      if (!isPossible) throw new TmuxError('size too small or too big');
      await client.resize(Number(cols), Number(rows));
    },
  },
} satisfies Commands;

/** The client of a flag, or the caller's own. @throws TmuxError */
export function clientOf({ server, caller }: Call, args: Arguments, flag: string): AttachedClient {
  const name = args.value(flag)?.replace(/:$/, '');
  const clients = [...server.clients];
  const found =
    name === undefined ? (caller.client ?? clients[0]) : clients.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new TmuxError(name === undefined ? 'no current client' : `can't find client: ${name}`);
}
