import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Disposable, toDisposable } from '#base';
import { newPtyHostSocket } from '#config';
import { systemClock } from '#coordinator';
import { asVtrError, VtrError } from '#model';
import {
  connectPtyHost,
  type HostedPtyHost,
  type PtyHostProbe,
  PtyHostProcess,
  PtyHosts,
  probePtyHost,
  type RestartCommand,
  useHostProcess,
} from '#pty/hosted';
import { identityOf, isAlive } from './start/process-identity.ts';
import { probePtyHosts } from './start/pty-host-probes.ts';

export interface PtyHostOptions {
  /** The daemon's socket. The host's is next to it, in the same private directory. */
  readonly socket: string;
  readonly version: string;
  /** A host that was launched for this daemon; null: none. It is used for new programs, or abandoned. */
  readonly launched?: PtyHostProcess | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command with which a host starts a daemon if this one is killed; null if a supervisor does. */
  readonly again: RestartCommand | null;
  readonly onListenerError: (error: unknown) => void;
  readonly log: (line: string) => void;
}

export interface OpenedPtyHosts {
  readonly hosts: PtyHosts;
  /** Hosts that run and cannot be used. */
  readonly unreachable: readonly PtyHostProbe[];
}

/** The longest path of a Unix socket: 104 bytes on macOS, with the NUL. */
const maxPathBytes = 103;
/** How long a host may take to exit when all its programs have ended, in ms. */
const exitMs = 5_000;
const pollMs = 10;

/** Where the host's program is: next to the bundled daemon, or from its compiled or its source file. */
const places = ['./vtr-ptyd.cjs', '../../../dist/vtr-ptyd.cjs'];

/**
 * Returns the PTY hosts of a socket: those that run already, and one that starts now unless one of this
 * version runs.
 *
 * @throws VtrError UNAVAILABLE if its program or a path for its socket is missing
 */
export async function openPtyHosts(options: PtyHostOptions): Promise<OpenedPtyHosts> {
  const { version, env, again, onListenerError, log } = options;
  let { launched = null } = options;
  const script = scriptPath();
  const length = Buffer.byteLength(newPtyHostSocket(options.socket));
  if (length > maxPathBytes) {
    const message = `the path of the PTY host's socket has ${length} bytes; the limit is ${maxPathBytes}`;
    throw new VtrError('UNAVAILABLE', message);
  }
  const survival = { again };
  const { running, unreachable } = await runningHosts(options);
  const current = running.find((host) => host.version === version) ?? null;
  if (current !== null) launched?.abandon();
  const hosts = new PtyHosts({
    current,
    old: running.filter((host) => host !== current),
    clock: systemClock,
    onFault: onListenerError,
    start: async () => {
      const socket = newPtyHostSocket(options.socket);
      const parts = { script, socket, version, env };
      const started = launched ?? PtyHostProcess.launch({ ...parts, log: 'inherit' });
      launched = null;
      const onKilled = (how: string) =>
        log(`the PTY host was lost, and its programs have ended: ${how}`);
      return (await useHostProcess(started, { onListenerError, onKilled, survival })).host;
    },
  });
  return { hosts, unreachable };
}

/** The newest first. */
async function runningHosts({ socket, version, again, onListenerError, log }: PtyHostOptions) {
  const running: HostedPtyHost[] = [];
  const unreachable: PtyHostProbe[] = [];
  for (const probe of await probePtyHosts(socket)) {
    if (probe.state === 'silent') {
      log(`warning: the PTY host at ${probe.path} does not respond; its sessions are not listed`);
      unreachable.push(probe);
      continue;
    }
    try {
      const survival = { again };
      running.push(await connectTo(probe, { version, survival, onListenerError }));
    } catch (error) {
      log(`warning: ${asVtrError(error).message}`);
      unreachable.push(probe);
    }
  }
  return { running, unreachable };
}

/** How often hosts that did not respond are tried again, in ms. */
const retryMs = 1_000;

/**
 * Calls `listener` once, when one of these hosts responds that did not.
 *
 * @returns ends the attempts
 */
export function onResponding(
  hosts: readonly PtyHostProbe[],
  listener: () => void,
): Disposable | null {
  const silent = hosts.filter(({ state }) => state === 'silent');
  if (silent.length === 0) return null;
  let isOver = false;
  const tryLater = () =>
    systemClock.schedule(retryMs, async () => {
      const probes = await Promise.all(silent.map(({ path }) => probePtyHost(path)));
      if (isOver) return;
      if (probes.some(({ state }) => state === 'usable')) listener();
      else timer = tryLater();
    });
  let timer = tryLater();
  return toDisposable(() => {
    isOver = true;
    timer.dispose();
  });
}

/** @throws VtrError UNAVAILABLE */
export function connectTo(
  { path, pid }: PtyHostProbe,
  options: Omit<Parameters<typeof connectPtyHost>[0], 'socket' | 'untilExited'>,
): Promise<HostedPtyHost> {
  const untilExited = () => untilProcessExited(pid);
  return connectPtyHost({ ...options, socket: path, untilExited });
}

/** Resolves when the process has exited, or after some seconds. */
export async function untilProcessExited(pid: number): Promise<void> {
  const identity = identityOf(pid);
  const lastMs = performance.now() + exitMs;
  while (identity !== null && isAlive(identity) && performance.now() < lastMs) await delay(pollMs);
}

function scriptPath(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const program = paths.find((path) => existsSync(path));
  if (program !== undefined) return program;
  throw new VtrError('UNAVAILABLE', `${paths[0]} does not exist`);
}
