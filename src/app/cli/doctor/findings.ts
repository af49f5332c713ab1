import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { probePtyHosts } from '#app/daemon/start';
import { isListening, ownLocalSocket, ptyHostSockets } from '#config';
import { asVtrError, counted, silentReason } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { knownCoordinators } from '../coordinators/known-coordinators.ts';

export interface Finding {
  readonly state: 'good' | 'warning' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** The fix to try. */
  readonly fix?: string;
}

export const good = (subject: string, text: string): Finding => ({ state: 'good', subject, text });

/** Describes how programs are started here. */
export async function nativeCalls(): Promise<Finding> {
  const subject = 'programs';
  // Most commands do not need the daemon's code.
  const { bindingInUse } = await import('#app/daemon');
  const { name, canMark } = bindingInUse();
  const text = `started by ${name}`;
  if (canMark || process.platform !== 'linux') return good(subject, text);
  const escapes =
    'one that leaves its session and clears its environment escapes limits and vtr rm';
  const fix =
    name === 'node-pty'
      ? 'install vtr with its optional packages (npm i without --omit=optional)'
      : 'raise the hard limit of file locks: ulimit -H -x unlimited';
  return { state: 'warning', subject, text: `${text}: ${escapes}`, fix };
}

/**
 * Names the programs that a killed PTY host has left.
 *
 * @param describe resolves for a coordinator that answers
 */
export async function leftovers(
  context: Context,
  describe: (socket: string) => Promise<unknown>,
): Promise<Finding> {
  const subject = 'leftovers';
  const coordinators = await knownCoordinators(context);
  const lists = coordinators.map(async ({ socket }) => {
    try {
      await describe(socket);
      return (await new JsonCoordinator(socket).list({})).map(({ id }) => id);
    } catch (error) {
      return asVtrError(error).details['reason'] === silentReason ? null : [];
    }
  });
  const ids = await Promise.all(lists);
  if (ids.includes(null)) return good(subject, 'not known while a coordinator does not respond');
  const { leftPrograms } = await import('#app/daemon');
  const left = await leftPrograms(ids.flatMap((each) => each ?? []));
  if (left.length === 0) return good(subject, 'none');
  const named = left.map(({ pid, name }) => `${pid} (${name})`).join(', ');
  const text = `programs of sessions that no known coordinator has: ${named}`;
  const fix = `end them with kill ${left.map(({ pid }) => pid).join(' ')}, unless a coordinator that is not in config.toml has them`;
  return { state: 'warning', subject, text, fix };
}

/** Checks the processes that own the pseudo-terminals. */
export async function ptyHosts(context: Context): Promise<Finding> {
  const subject = 'PTY host';
  const socket = await ownLocalSocket(context);
  const probes = await probePtyHosts(socket);
  const findings = probes.flatMap((host) => problemOf(context.version, host) ?? []);
  const worst = findings.find(({ state }) => state === 'bad') ?? findings[0];
  if (worst !== undefined) {
    const text = findings.map((each) => each.text).join('; ');
    return { ...worst, subject, text };
  }
  const [host] = probes;
  if (host === undefined) return { state: 'good', subject, text: 'not running' };
  const programs = counted(host.running, 'program');
  return {
    state: 'good',
    subject,
    text: `version ${host.version}, process ${host.pid}, ${programs}`,
  };
}

/** A host as the daemon's code describes it. */
interface PtyHost {
  readonly path: string;
  readonly state: 'usable' | 'other_protocol' | 'silent' | 'gone';
  readonly version: string;
  readonly pid: number;
  readonly running: number;
  readonly paused: number;
  readonly hasCoordinator: boolean;
}

type Problem = Omit<Finding, 'subject'>;

function problemOf(version: string, host: PtyHost): Problem | null {
  const { path, state, pid, running, paused, hasCoordinator } = host;
  if (state === 'silent') {
    const fix = `kill -CONT, or kill -KILL to end its programs; fuser ${path} prints its process`;
    return { state: 'bad', text: `the host at ${path} does not respond`, fix };
  }
  const has = `process ${pid} with ${counted(running, 'program')}`;
  if (state === 'other_protocol') {
    const text = `${has} runs vtr ${host.version}, which this version cannot use`;
    const fix = `use vtr ${host.version} until they have ended, or end them with vtr serve --stop`;
    return { state: 'warning', text, fix };
  }
  if (!hasCoordinator && running > 0) {
    const waits = paused > 0 ? `; ${paused} of them wait until their output is read` : '';
    return { state: 'warning', text: `${has} has no daemon${waits}`, fix: 'vtr serve --restart' };
  }
  if (paused > 0) {
    const text = `${has}: the daemon does not read the output of ${paused}, which wait`;
    return { state: 'warning', text, fix: 'vtr serve --restart' };
  }
  if (host.version === version) return null;
  const text = `${has} runs vtr ${host.version}, this command is ${version}`;
  return { state: 'warning', text, fix: 'none needed: it ends with its last session' };
}

/** Returns the sockets of hosts that were killed. */
export async function staleHostSockets(socket: string): Promise<string[]> {
  const sockets = ptyHostSockets(socket);
  const areLive = await Promise.all(sockets.map(isListening));
  return sockets.filter((_, index) => !areLive[index]);
}

const subject = 'logout';

/** What systemd-logind(8) does when a user logs out. */
export interface LogoutRules {
  readonly user: string;
  /** Whether the user's services run without a login (loginctl enable-linger). */
  readonly lingers: boolean;
  /** KillUserProcesses of logind.conf(5). */
  readonly killsProcesses: boolean;
}

export async function logout(context: Context): Promise<Finding> {
  return logoutFinding(logoutRules(), await ownLocalSocket(context));
}

/**
 * Returns null where systemd does not run.
 *
 * @param root another root directory, for tests
 */
export function logoutRules(root = '/', user = ownName()): LogoutRules | null {
  if (user === null || !existsSync(join(root, 'run/systemd/system'))) return null;
  const lingers = existsSync(join(root, 'var/lib/systemd/linger', user));
  return { user, lingers, killsProcesses: user !== 'root' && killsProcesses(root) };
}

/** Null for a user whom the database of the system does not have: such a user cannot log in. */
export function ownName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** Later directories and later names take precedence; the main file of /etc is read first. */
function killsProcesses(root: string): boolean {
  const directories = ['usr/lib/systemd', 'run/systemd', 'etc/systemd'].map((each) =>
    join(root, each),
  );
  const mains = directories.map((each) => join(each, 'logind.conf'));
  const parts = directories
    .flatMap((each) => namesIn(join(each, 'logind.conf.d')).map((name) => ({ each, name })))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ each, name }) => join(each, 'logind.conf.d', name));
  let kills = false;
  for (const file of [...mains, ...parts]) {
    const [, value] = /^\s*KillUserProcesses\s*=\s*(\S+)/im.exec(readOrEmpty(file)) ?? [];
    if (value !== undefined) kills = /^(1|yes|true|on)$/i.test(value);
  }
  return kills;
}

export function logoutFinding(rules: LogoutRules | null, socket: string): Finding {
  if (rules === null) return good(subject, 'not controlled by systemd');
  const { user, lingers, killsProcesses: kills } = rules;
  if (lingers || user === 'root') return good(subject, 'sessions continue');
  const fix = `loginctl enable-linger ${user}`;
  if (kills) {
    const text = 'your sessions are ended at logout (KillUserProcesses=yes in logind.conf)';
    return { state: 'warning', subject, text, fix };
  }
  if (!socket.startsWith('/run/user/')) return good(subject, 'sessions continue');
  const text = 'the directory of the socket is removed at your last logout, which ends the daemon';
  return { state: 'warning', subject, text, fix };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.conf'));
  } catch {
    return [];
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
