import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { checkNotAddress, ownSocket, resolveSocket } from '#config';
import { asVtrError, errorTable, VtrError } from '#model';
import { failureLine, greetingLine } from '#transport/greeting';
import { untrustedSocket } from '#trust';
import { text, toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { passBytes } from '../pass-bytes.ts';
import { defineVerb } from '../verb.ts';

export const connect = defineVerb({
  name: 'connect',
  summary: 'join stdin and stdout to a coordinator, for vtr on another machine',
  args: {},
  flags: {
    socket: text('PATH', 'socket of the coordinator (default: your own)', { completes: 'file' }),
    start: toggle('start a daemon if none runs'),
  },
  details: [
    'vtr runs it on the other side of an address such as ssh://gpu1, through ssh, docker exec or kubectl exec. It prints a line with its version, and then passes bytes in both directions until one side closes.',
    'Without --start, it exits with status 3 if no daemon runs, unless sessions have lost their daemon: then it starts one.',
  ],
  examples: [
    { line: 'ssh gpu1 vtr connect', about: 'what vtr ls --coordinator ssh://gpu1 runs' },
    { line: 'vtr connect --start', about: 'start a daemon first if none runs' },
  ],
  async run(context, { flags }) {
    let socket: Socket;
    let path = '';
    try {
      path = await pathOf(context, flags.socket);
      socket = await joined(context, path, flags.start);
    } catch (error) {
      context.out(failureLine(error));
      const { code, message } = asVtrError(error);
      context.say(message);
      return errorTable[code].exit;
    }
    context.out(greetingLine(context.version, path));
    const responds = async () => {
      const [{ respondsInTime }, { daemonStuck }] = await Promise.all([
        import('#wire/service'),
        import('#app/client'),
      ]);
      return respondsInTime(path, daemonStuck(path));
    };
    const { stdin: input, stdout: output } = process;
    if ((await passBytes({ socket, input, output, responds })) === 'closed') return undefined;
    context.say(
      `the coordinator at ${path} does not respond: its process is suspended, at work, or hangs`,
    );
    return errorTable.UNAVAILABLE.exit;
  },
});

async function pathOf(context: Context, given: string | undefined): Promise<string> {
  if (given !== undefined) return resolveSocket(given, context.cwd);
  const own = await ownSocket(context);
  checkNotAddress(own, 'set VTR_SOCKET to the path of a socket of this machine, or unset it');
  return own;
}

/** @throws VtrError UNAVAILABLE */
async function joined(context: Context, path: string, mayStart: boolean): Promise<Socket> {
  const untrusted = untrustedSocket(path);
  if (untrusted !== null) {
    const { message, details } = untrusted;
    throw new VtrError('UNAVAILABLE', message, { details });
  }
  try {
    return await open(path);
  } catch (error) {
    // Loads what most connections do not need.
    const { isNotRunning, reachDaemon } = await import('#app/client');
    if (!isNotRunning(error)) throw error;
    if (!(await reachDaemon(context, path, mayStart ? 'always' : 'if_left'))) throw error;
    return open(path);
  }
}

async function open(path: string): Promise<Socket> {
  const socket = connectSocket(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const isNone = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(code);
    const text = isNone ? 'no coordinator runs' : `the coordinator cannot be reached: ${message}`;
    throw new VtrError('UNAVAILABLE', text, {
      details: { reason: isNone ? 'ENOENT' : code },
    });
  }
}
