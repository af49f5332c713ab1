import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { checkNotAddress, ownSocket, resolveSocket } from '#config';
import { asVtrError, errorTable, VtrError } from '#model';
import { failureLine, greetingLine } from '#transport/greeting';
import { untrustedSocket } from '#trust';
import { text, toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
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

async function pathOf(context: Context, text: string | undefined): Promise<string> {
  if (text !== undefined) return resolveSocket(text, context.cwd);
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

/** Bytes that are not answered for this time make the other process suspect, in ms; as clients of a socket do. */
const defaultSuspicionMs = 300;

export interface PassedStreams {
  /** The connection to the process that answers. */
  readonly socket: Duplex;
  readonly input: Readable;
  /** It is not ended, because others may write to it, too. */
  readonly output: Writable;
  /** Whether the process at the other end of the socket can answer anything. */
  readonly responds: () => Promise<boolean>;
  /** In ms. Default: 300. */
  readonly suspicionMs?: number;
}

/**
 * Passes bytes in both directions until the socket is closed, and all that came from it has been written. The end
 * of the input is passed on; an error of either stream closes the socket.
 *
 * @returns `silent` if the socket was closed because the other process does not respond
 */
export async function passBytes(streams: PassedStreams): Promise<'closed' | 'silent'> {
  const { socket, input, output } = streams;
  const silence = new Silence(streams);
  input.on('data', () => silence.onSend());
  socket.on('data', () => silence.received());
  input.pipe(socket);
  socket.pipe(output, { end: false });
  for (const each of [input, output]) each.on('error', () => socket.destroy());
  // The reader learns of an error by the end of the bytes.
  socket.on('error', () => {});
  // `once` of node:events would fail when the socket does.
  await new Promise((resolve) => socket.once('close', resolve));
  silence.end();
  input.destroy();
  // The callback is also called if the output cannot be written any more.
  await new Promise<void>((resolve) => output.write('', () => resolve()));
  return silence.isNoticed ? 'silent' : 'closed';
}

/** Closes a connection if the other process does not respond: the sender is on another machine. */
class Silence {
  /** Whether it was noticed. */
  isNoticed = false;
  readonly #socket: Duplex;
  readonly #responds: () => Promise<boolean>;
  readonly #suspicionMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Since the last look began. */
  #wasSent = false;
  #wasReceived = false;

  constructor({ socket, responds, suspicionMs = defaultSuspicionMs }: PassedStreams) {
    this.#socket = socket;
    this.#responds = responds;
    this.#suspicionMs = suspicionMs;
  }

  onSend(): void {
    this.#wasSent = true;
    this.#plan();
  }

  received(): void {
    this.#wasReceived = true;
    // It may be the answer to an earlier part of what was sent.
    this.#timer?.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #plan(): void {
    if (this.#isLooking) return;
    this.#timer ??= setTimeout(() => void this.#look(), this.#suspicionMs).unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    this.#wasSent = false;
    this.#wasReceived = false;
    const responds = await this.#responds();
    this.#isLooking = false;
    if (this.#socket.destroyed) return;
    if (responds || this.#wasReceived) {
      if (this.#wasSent) this.#plan();
      return;
    }
    this.isNoticed = true;
    this.#socket.destroy();
  }
}
