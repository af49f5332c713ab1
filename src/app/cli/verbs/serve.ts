import { resolve } from 'node:path';
import { backgroundVariable, type DaemonReport, startDaemon } from '#app/client';
import { ownSocket, readServerConfig, resolveSocket } from '#config';
import { asVtrError, errorTable, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { type FlagValues, text, toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { stopDaemon } from '../stop-daemon.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  socket: text('PATH', 'where to listen, instead of your own place', { completes: 'file' }),
  config: text('FILE', 'instead of ~/.config/vtr/server.toml', { completes: 'file' }),
  daemon: toggle('in the background; returns when it answers'),
  'pid-file': text('PATH', 'where its process id is written', { completes: 'file' }),
  stop: toggle('end the daemon, with all of its sessions'),
};

export const serve = defineVerb({
  name: 'serve',
  summary: 'run a coordinator, the daemon that owns sessions',
  args: {},
  flags,
  details: [
    'Your own place is VTR_SOCKET, else socket_path of server.toml, else /var/run/vtr.sock for root, $XDG_RUNTIME_DIR/vtr/default.sock or ~/.vtr/default.sock. The other verbs look there too.',
    'The socket is yours alone: its folder has mode 700 and itself 600. Who may use it may do all that you may.',
    'SIGTERM and ctrl+c end every session with all that it started, and then the daemon.',
  ],
  examples: [
    { line: 'vtr serve', about: 'in the foreground' },
    { line: 'vtr serve --daemon', about: 'in the background' },
    { line: 'vtr serve --stop', about: 'end it, and its sessions' },
  ],
  async run(context, { flags: given }) {
    const paths = pathsOf(context, given);
    const socket = paths.socket ?? (await socketOf(context, paths.config));
    if (given.stop && given.daemon) {
      throw new VtrError('INVALID_ARGUMENT', 'give --daemon or --stop, not both');
    }
    if (given.stop) {
      const isNamed = paths.socket !== undefined;
      return stopDaemon(context, { ...paths, socket, isNamed });
    }
    return given.daemon ? serveBehind(context, socket, paths) : serveHere(context, socket, paths);
  },
});

/** A file that is named counts before VTR_SOCKET, the user's own after it. */
async function socketOf(context: Context, configFile: string | undefined): Promise<string> {
  if (configFile === undefined) return ownSocket(context);
  const { socketPath } = await readServerConfig(context, configFile);
  return socketPath ?? ownSocket(context);
}

interface Paths {
  readonly socket?: string;
  readonly config?: string;
  readonly pidFile?: string;
}

/** Absolute, because the daemon runs in another folder. */
function pathsOf({ cwd }: Context, given: FlagValues<typeof flags>): Paths {
  const { socket, config, 'pid-file': pidFile } = given;
  return {
    ...(socket === undefined ? {} : { socket: resolveSocket(socket, cwd) }),
    ...(config === undefined ? {} : { config: resolve(cwd, config) }),
    ...(pidFile === undefined ? {} : { pidFile: resolve(cwd, pidFile) }),
  };
}

async function serveBehind(context: Context, socket: string, paths: Paths): Promise<undefined> {
  const { config, pidFile } = paths;
  const { pid, wasRunning } = await startDaemon(context, socket, [
    ...(config === undefined ? [] : ['--config', config]),
    ...(pidFile === undefined ? [] : ['--pid-file', pidFile]),
  ]);
  const what = wasRunning ? 'a coordinator is already running' : 'serving';
  context.say(`${what} at ${socket}${by(pid)}`);
  return undefined;
}

async function serveHere(
  context: Context,
  socket: string,
  { config: configFile, pidFile }: Paths,
): Promise<number | undefined> {
  const isBehind = context.env[backgroundVariable] !== undefined;
  delete process.env[backgroundVariable];
  // Whoever reads what is said may be gone before the daemon is.
  process.stderr.on('error', () => {});
  const report = (told: DaemonReport) => {
    if (isBehind) process.send?.(told);
    else if ('serving' in told) context.say(`serving at ${socket} (process ${told.serving})`);
  };
  try {
    const { runDaemon } = await import('#app/daemon');
    const end = await runDaemon({
      socket,
      user: context,
      version: context.version,
      log: context.say,
      onServing: () => report({ serving: process.pid }),
      ...(configFile === undefined ? {} : { configFile }),
      ...(pidFile === undefined ? {} : { pidFile }),
    });
    if (end === 'ended') return undefined;
    const pid = await pidBehind(socket);
    const message = `a coordinator is already running at ${socket}${by(pid)}`;
    if (!isBehind) throw new VtrError('UNAVAILABLE', `${message}; vtr serve --stop ends it`);
    report({ running: pid });
    return errorTable.UNAVAILABLE.exit;
  } catch (error) {
    const { code, message } = asVtrError(error);
    if (isBehind) report({ failed: { code, message } });
    throw error;
  }
}

/**
 * Its own word: of the processes that put up a claim some may be about to give up. Null where it does
 * not say.
 */
async function pidBehind(socket: string): Promise<number | null> {
  const { pid } = await new JsonCoordinator(socket).daemon().catch(() => ({ pid: 0 }));
  return pid === 0 ? null : pid;
}

const by = (pid: number | null): string => (pid === null ? '' : ` (process ${pid})`);
