import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  asSuccessor,
  backgroundVariable,
  type DaemonReport,
  daemonCommand,
  ifLeft,
  startDaemon,
} from '#app/client';
import { beginDaemon } from '#app/daemon/start';
import { fileState } from '#app/launch';
import { defined, ignored } from '#base';
import { checkNotAddress, isListening, ownSocket, readServerConfig, resolveSocket } from '#config';
import {
  asVtrError,
  type CommandCall,
  errorTable,
  isAddress,
  silentReason,
  VtrError,
} from '#model';
import { type FlagValues, text, toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { restartDaemon, stopDaemon } from '../coordinators/daemon-control.ts';
import { printStatus } from '../coordinators/daemon-status.ts';
import { daemonClient, oneCoordinator, tellUnused } from '../coordinators/known-coordinators.ts';
import { verbThere } from '../coordinators/verb-there.ts';
import { restartExit } from '../exit-codes.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  socket: text('PATH', 'socket to listen at (default: your own socket)', { completes: 'file' }),
  config: text('FILE', 'configuration file (default ~/.config/vtr/server.toml)', {
    completes: 'file',
  }),
  daemon: toggle('run in the background; return when it is ready'),
  'pid-file': text('PATH', 'file to write the process id to', { completes: 'file' }),
  stop: toggle('end the daemon and all its sessions, and remove what is saved of them'),
  restart: toggle('replace the daemon by a new one with the same flags; sessions continue'),
  status: toggle('print the processes, the versions and whether sessions are saved'),
  json: toggle('print the status as JSON'),
};

export const serve = defineVerb({
  name: 'serve',
  summary: 'run a coordinator, the daemon that owns sessions',
  otherFlags: { coordinator: 'vtr serve COORDINATOR' },
  args: {
    coordinator: {
      about: 'with --status, --restart or --stop: another one, by name, socket path or address',
      optional: true,
    },
  },
  flags,
  details: [
    'All verbs use your own socket. It is the first of these:',
    [
      ['VTR_SOCKET', 'if the variable is set'],
      ['socket_path', 'if it is set in server.toml'],
      ['$XDG_RUNTIME_DIR/vtr/default.sock', 'if no other user can write to that directory'],
      ['/var/run/vtr.sock', 'for root'],
      ['/run/user/UID/vtr/default.sock', 'if that directory is yours'],
      ['~/.vtr/default.sock', 'otherwise'],
    ],
    'The directory of the socket has mode 700, the socket 600. Anyone with access can act as you.',
    'SIGTERM and ctrl+c end every session with its descendants, then the daemon. The next daemon lists them as ended, and vtr revive starts their programs again. With on_sigterm = "keep" in server.toml, SIGTERM ends the daemon alone.',
    'Programs run in a separate process, the PTY host. They continue if the daemon is killed or restarted. If it is killed, the host starts a daemon again at once, or after a second if it had not run for 10 seconds; every verb does so at once.',
    '--restart starts a daemon if none runs. A daemon in the foreground exits with status 75, so that its supervisor starts it again; contrib/vtr.service of the package is a unit for systemd. Published sessions (vtr publish) end with their daemon. --config and --pid-file are ignored if a daemon runs.',
    '--status fails with status 3 if no daemon runs. At an address, --restart and --stop run there.',
  ],
  examples: [
    { line: 'vtr serve', about: 'run in the foreground' },
    { line: 'vtr serve --daemon', about: 'run in the background' },
    { line: 'vtr serve --status', about: 'print the processes and versions' },
    { line: 'vtr serve --restart', about: 'use a new version of vtr; sessions continue' },
    { line: 'vtr serve --stop', about: 'end the daemon and its sessions' },
    { line: 'vtr serve --restart ssh://gpu1', about: 'after vtr install has copied a new version' },
  ],
  async run(context, { args, flags }) {
    const paths = pathsOf(context, flags);
    tellUnused(context);
    const [one, other] = (['daemon', 'stop', 'restart', 'status'] as const).filter(
      (flag) => flags[flag],
    );
    if (other !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', `--${one} and --${other} cannot be used together`);
    }
    if (flags.json && !flags.status) {
      throw new VtrError('INVALID_ARGUMENT', '--json needs --status');
    }
    const elsewhere = await placeElsewhere(context, args.coordinator, paths, one);
    if (elsewhere !== null && isAddress(elsewhere)) {
      return flags.status
        ? printStatus(context, elsewhere, flags)
        : serveThere(context, elsewhere, flags.restart ? '--restart' : '--stop');
    }
    const socket = elsewhere ?? paths.socket ?? (await socketOf(context, paths.config));
    if (flags.status) return printStatus(context, socket, flags);
    if (flags.restart) return restartDaemon(context, socket, flagsOf(paths));
    if (flags.stop) {
      const isNamed = (elsewhere ?? paths.socket) !== undefined;
      return stopDaemon(context, { ...paths, socket, isNamed });
    }
    return flags.daemon
      ? serveInBackground(context, socket, paths)
      : serveInForeground(context, socket, paths);
  },
});

/**
 * Returns the coordinator that the argument names, or the user's own if that is at an address; null for one here.
 *
 * @param act what to do with it
 * @throws VtrError INVALID_ARGUMENT
 */
async function placeElsewhere(
  context: Context,
  named: string | undefined,
  paths: Paths,
  act: 'daemon' | 'stop' | 'restart' | 'status' | undefined,
): Promise<string | null> {
  const isOfOne = act !== undefined && act !== 'daemon';
  if (named === undefined) {
    if (!isOfOne || paths.socket !== undefined || paths.config !== undefined) return null;
    const own = await ownSocket(context);
    return isAddress(own) ? own : null;
  }
  if (!isOfOne) {
    const message =
      'a coordinator is named with --status, --restart or --stop; --socket names the one to serve';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (paths.socket !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'a coordinator and --socket cannot be used together');
  }
  return (await oneCoordinator(context, named)).socket;
}

/** Restarts or ends the daemon of an address, by a command there: it looks for processes. */
async function serveThere(
  context: Context,
  address: string,
  flag: '--restart' | '--stop',
): Promise<number> {
  const { status, words } = await verbThere(context, address, ['serve', flag]);
  if (words !== '') context.say(`${address}: ${words}`);
  return status;
}

/** A file given with `--config` takes precedence over VTR_SOCKET, the user's own does not. */
async function socketOf(context: Context, configFile: string | undefined): Promise<string> {
  const own = async () => {
    const socket = await ownSocket(context);
    checkNotAddress(socket, 'run vtr serve there, or give --socket');
    return socket;
  };
  if (configFile === undefined) return own();
  const { socketPath } = await readServerConfig(context, configFile);
  return socketPath ?? own();
}

interface Paths {
  readonly socket?: string;
  readonly config?: string;
  readonly pidFile?: string;
}

/** Makes paths absolute: the daemon runs in another directory. */
function pathsOf(context: Context, values: FlagValues<typeof flags>): Paths {
  const { socket, config, 'pid-file': pidFile } = values;
  // Without paths, the current directory may have been removed.
  return {
    ...(socket === undefined ? {} : { socket: resolveSocket(socket, context.cwd) }),
    ...(config === undefined ? {} : { config: resolve(context.cwd, config) }),
    ...(pidFile === undefined ? {} : { pidFile: resolve(context.cwd, pidFile) }),
  };
}

/** The flags that every daemon at the socket needs. */
const flagsOf = ({ config, pidFile }: Paths): string[] => [
  ...(config === undefined ? [] : ['--config', config]),
  ...(pidFile === undefined ? [] : ['--pid-file', pidFile]),
];

async function serveInBackground(
  context: Context,
  socket: string,
  paths: Paths,
): Promise<undefined> {
  const { pid, wasRunning } = await startDaemon(context, socket, flagsOf(paths));
  const what = wasRunning ? 'a coordinator is already running' : 'serving';
  context.say(`${what} at ${socket}${by(pid)}`);
  return undefined;
}

async function serveInForeground(
  context: Context,
  socket: string,
  paths: Paths,
): Promise<number | undefined> {
  const { config: configFile, pidFile } = paths;
  const flags = flagsOf(paths);
  const background = context.env[backgroundVariable];
  const isBackground = background !== undefined;
  delete process.env[backgroundVariable];
  // The reader of stderr may exit before the daemon.
  process.stderr.on('error', () => {});
  const send = (report: DaemonReport) => {
    // Without the callback, a starter that was killed meanwhile would make it an uncaught error.
    if (isBackground && process.connected) process.send?.(report, () => {});
    if (isBackground) return;
    if ('serving' in report) context.say(`serving at ${socket} (process ${report.serving})`);
  };
  try {
    const isSupervised = context.env['SYSTEMD_EXEC_PID'] === String(process.pid);
    const again = isSupervised ? null : daemonCommand(context, socket, flags, ifLeft);
    const daemon = { ...context, socket, programState: programState(context) };
    let successor: Promise<unknown> | null = null;
    const startSuccessor = (program = context.program) => {
      successor = startDaemon({ ...context, program }, socket, flags, asSuccessor);
      ignored(successor, 'it is awaited below');
    };
    const options = {
      socket,
      user: context,
      version: context.version,
      hostScript: hostScriptOf(context),
      survival: { again, inForeground: !isBackground, flags },
      onlyIfLeft: background === ifLeft,
      log: context.say,
      onServing: () => send({ serving: process.pid }),
      ...(isBackground && { onLeaving: startSuccessor }),
      runCommand: async (call: CommandCall) =>
        (await import('../run-in-daemon.ts')).runInDaemon(daemon, call),
      ...defined({ configFile, pidFile }),
    };
    // The one before saves and closes meanwhile.
    if (background === asSuccessor) ignored(import('#app/daemon'), 'it is loaded again below');
    const { beginning, pid } = await beginUnlessServed(options, context);
    // The code of the daemon is large. It is loaded while the PTY host starts.
    const { reason } =
      typeof beginning === 'string'
        ? { reason: beginning }
        : await (await import('#app/daemon')).runDaemon({ ...options, beginning });
    if (reason === 'restart') {
      if (!isBackground) return restartExit;
      await successor;
      // A wait that goes on in the next daemon has a timer here, too.
      process.exit(0);
    }
    if (reason === 'nothing_left') send({ nothingLeft: true });
    if (reason !== 'served_already') return undefined;
    const message = `a coordinator is already running at ${socket}${by(pid)}`;
    if (!isBackground)
      throw new VtrError('UNAVAILABLE', `${message}; end it with vtr serve --stop`);
    send({ running: pid });
    return errorTable.UNAVAILABLE.exit;
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    if (isBackground) send({ failed: { code, message, details } });
    throw error;
  }
}

/** Empty if it cannot be told. */
function programState({ program }: Context): string {
  try {
    return fileState(statSync(program));
  } catch {
    return '';
  }
}

/**
 * Begins a daemon, unless a coordinator serves the socket. One that was just killed is connected to until its last
 * thread has ended, and does not serve.
 *
 * @returns also the process id of the one that serves; null if there is none, or it reports none
 * @throws VtrError as `beginDaemon`; UNAVAILABLE if the coordinator does not respond
 */
async function beginUnlessServed(options: Parameters<typeof beginDaemon>[0], context: Context) {
  for (;;) {
    const beginning = await beginDaemon(options);
    if (beginning !== 'served_already') return { beginning, pid: null };
    const pid = await pidOfCoordinator(options.socket, context);
    if (pid !== null || (await isListening(options.socket))) return { beginning, pid };
  }
}

/** The program of the PTY host is next to the command, whose path may be a symbolic link. */
function hostScriptOf({ program }: Context): string {
  try {
    return join(dirname(realpathSync(program)), 'vtr-ptyd.cjs');
  } catch {
    return '';
  }
}

/**
 * Returns the process id that the coordinator reports; null if it reports none. The claim files are
 * not reliable: some of their processes may be about to give up.
 *
 * @throws VtrError UNAVAILABLE if it does not respond
 */
async function pidOfCoordinator(socket: string, context: Context): Promise<number | null> {
  const { pid } = await daemonClient(socket, context)
    .daemon()
    .catch((error) => {
      if (asVtrError(error).details['reason'] === silentReason) throw error;
      return { pid: 0 };
    });
  return pid === 0 ? null : pid;
}

const by = (pid: number | null): string => (pid === null ? '' : ` (process ${pid})`);
