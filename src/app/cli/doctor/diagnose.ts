import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { shellQuoted } from '#base';
import {
  auditDirectory,
  checkSocketPath,
  directoryProblem,
  ownHome,
  ownLocalSocket,
  readServerConfig,
  stateDirectory,
  unusedDirectories,
} from '#config';
import { asVtrError, counted, isAddress, type VtrError } from '#model';
import { isExecutable, socketProblem } from '#trust';
import type { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { auditText, forwardText } from '../coordinators/daemon-status.ts';
import { daemonClient, knownCoordinators } from '../coordinators/known-coordinators.ts';
import { claimedDaemonHint, silentDaemonHint } from '../coordinators/silent-daemon.ts';
import { notifyFailure, readNotifyRecord } from '../notify/notify-record.ts';
import {
  type Finding,
  good,
  leftovers,
  logout,
  nativeCalls,
  ownName,
  ptyHosts,
  staleHostSockets,
} from './findings.ts';

/** A few dozen sessions exhaust a lower limit of open files. */
const enoughFiles = 1024;

/** Describes the daemon at a socket; asks each only once: one that does not respond takes 2 s to find out. */
type Describe = (socket: string) => ReturnType<JsonCoordinator['daemon']>;

type Check = (context: Context, describe: Describe) => Finding | Promise<Finding>;

function describeOnce(context: Context): Describe {
  const described = new Map<string, ReturnType<Describe>>();
  return (path) => {
    const daemon = described.get(path) ?? daemonClient(path, context).daemon();
    described.set(path, daemon);
    return daemon;
  };
}

/** Runs all checks and returns their findings. */
export async function diagnose(context: Context): Promise<Finding[]> {
  const findings: Finding[] = [];
  // What makes many checks impossible is told once.
  const messages = new Set<string>();
  const describe = describeOnce(context);
  for (const [subject, check] of Object.entries(checks)) {
    try {
      findings.push(await check(context, describe));
    } catch (error) {
      const { message } = asVtrError(error);
      if (!messages.has(message)) findings.push({ state: 'bad', subject, text: message });
      messages.add(message);
    }
  }
  return findings;
}

const checks: Readonly<Record<string, Check>> = {
  node,
  home,
  configuration,
  socket,
  directory,
  daemon,
  'PTY host': ptyHosts,
  'saved sessions': savedSessions,
  'audit trail': auditTrail,
  logout,
  programs: nativeCalls,
  agents,
  leftovers,
  'stale files': staleFiles,
  'open files': openFiles,
  terminals,
  shell,
  notifications,
};

function notifications(context: Context): Finding {
  const subject = 'notifications';
  const record = readNotifyRecord(context);
  if (record === null) return good(subject, 'vtr notify has not run');
  const failure = notifyFailure(record, Date.now());
  const text = `vtr notify ${record.pid === null ? 'does not run' : 'runs'}`;
  if (failure === null) return good(subject, text);
  const fix = 'start vtr notify --osc in a terminal that shows notifications';
  return { state: 'warning', subject, text: `${text}; could not notify ${failure}`, fix };
}

function node({ version }: Context): Finding {
  return good('node', `vtr ${version} on Node ${process.versions.node}, ${process.platform}`);
}

/** Checks the directory in which vtr makes its files, unless the environment names others. */
function home(context: Context): Finding {
  const path = ownHome(context);
  const lacks = !existsSync(path)
    ? 'does not exist'
    : !isAccessible(path, constants.R_OK | constants.X_OK)
      ? 'cannot be read'
      : !isAccessible(path, constants.W_OK)
        ? 'is not writable'
        : null;
  if (lacks === null) return good('home', path);
  const fix =
    'set HOME to a directory of your own; or VTR_SOCKET, XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME';
  const isUsable = lacks === 'is not writable';
  const text = `${path} ${lacks} for ${ownName() ?? 'this user'}: vtr has no place for its socket, its configuration, saved sessions and the audit trail`;
  return { state: isUsable ? 'warning' : 'bad', subject: 'home', text, fix };
}

async function configuration(context: Context): Promise<Finding> {
  const { coordinators } = await context.config();
  await readServerConfig(context);
  const unused = unusedDirectories(context);
  if (unused.length > 0) {
    const fix = 'set it to a directory of your own, or unset it';
    return { state: 'warning', subject: 'configuration', text: unused.join('; '), fix };
  }
  return good(
    'configuration',
    `readable, ${counted(coordinators.length, 'configured coordinator')}`,
  );
}

async function agents(context: Context): Promise<Finding> {
  const { readAgentKinds } = await import('#app/daemon');
  const { kinds, problems } = await readAgentKinds(context, context.version);
  if (problems.length === 0) return good('agents', `${counted(kinds.length, 'kind')} of agents`);
  return { state: 'warning', subject: 'agents', text: problems.join('; ') };
}

async function socket(context: Context): Promise<Finding> {
  const path = checkSocketPath(await ownLocalSocket(context));
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return good('socket', `${path} does not exist yet`);
  const mode = (stat.mode & 0o777).toString(8);
  if (!stat.isSocket()) {
    return {
      state: 'bad',
      subject: 'socket',
      text: `${path} is not a socket`,
      fix: `rm ${shellQuoted(path)}`,
    };
  }
  const problem = socketProblem(path);
  if (problem !== null) {
    return { state: 'bad', subject: 'socket', text: problem.problem, fix: problem.fix };
  }
  if ((stat.mode & 0o077) === 0) return good('socket', `${path}, mode ${mode}`);
  if ((await isGroupOpen(context)) && (stat.mode & 0o777) === 0o660) {
    return good('socket', `${path}, mode ${mode}, open to its group by socket_mode`);
  }
  const text = `${path} has mode ${mode}: anyone with access can act as you`;
  return { state: 'warning', subject: 'socket', text, fix: `chmod 600 ${shellQuoted(path)}` };
}

const isGroupOpen = async (context: Context): Promise<boolean> =>
  (await readServerConfig(context)).socketMode === 0o660;

async function directory(context: Context): Promise<Finding> {
  const path = dirname(await ownLocalSocket(context));
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return missingDirectory(path);
  const problem = directoryProblem(path, { isGroupOpen: await isGroupOpen(context) });
  if (problem === null) return good('directory', `${path} is private`);
  return { state: 'bad', subject: 'directory', text: problem.problem, fix: problem.fix };
}

/** The first session makes it, if the user may write to the nearest directory above it. */
function missingDirectory(path: string): Finding {
  let above = dirname(path);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'EACCES' } = error as NodeJS.ErrnoException;
    return {
      state: 'bad',
      subject: 'directory',
      text: `${path} does not exist, and cannot be made in ${above}: ${code}`,
      fix: 'choose a path in a directory of your own with VTR_SOCKET',
    };
  }
  return good('directory', `${path} does not exist yet`);
}

async function daemon(context: Context, describe: Describe): Promise<Finding> {
  const path = await ownLocalSocket(context);
  try {
    const { version, pid } = await describe(path);
    if (version === context.version) return good('daemon', `version ${version}, process ${pid}`);
    const text = `process ${pid} runs vtr ${version}, this command is ${context.version}`;
    return { state: 'warning', subject: 'daemon', text, fix: 'vtr serve --restart' };
  } catch (error) {
    const { message, details } = asVtrError(error);
    const isSilent = ['ENOENT', 'ECONNREFUSED'].includes(String(details['reason']));
    const claimed = isSilent ? await claimedDaemonHint(path) : null;
    if (claimed !== null) {
      const text = `it has claimed ${path}, and does not listen there: it starts, ends or hangs`;
      return { state: 'bad', subject: 'daemon', text, fix: claimed };
    }
    if (details['reason'] === 'ENOENT') return good('daemon', 'not running; vtr spawn starts it');
    // The finding about the socket says why.
    if (details['reason'] === 'ENOTSOCK') return good('daemon', 'not running');
    if (details['reason'] === 'ECONNREFUSED') {
      const text = 'it was killed; sessions that a PTY host keeps continue with the next one';
      return { state: 'warning', subject: 'daemon', text, fix: 'vtr serve --restart' };
    }
    return { state: 'bad', subject: 'daemon', text: message, fix: await silentDaemonHint(path) };
  }
}

const isSocket = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** Checks whether the daemon's audit trail is complete. */
async function auditTrail(context: Context, describe: Describe): Promise<Finding> {
  const subject = 'audit trail';
  const path = await ownLocalSocket(context);
  const running = await describe(path).catch(() => null);
  if (running === null) return good(subject, `${auditDirectory(context, path)}, if there is one`);
  const { audit } = running;
  const text = auditText(audit);
  const forward = audit?.forward;
  if (audit === null || audit.lost === 0) {
    if (forward === undefined) return good(subject, text);
    const both = `${text}; forwarded to ${forwardText(forward)}`;
    if (!forward.isFailing && forward.lost === 0) return good(subject, both);
    const fix = forward.isFailing
      ? 'see audit_forward in server.toml; what waits is forwarded later'
      : 'raise audit_max in server.toml';
    return { state: forward.isFailing ? 'bad' : 'warning', subject, text: both, fix };
  }
  const fix = audit.isLosing ? 'make space, or vtr log' : 'vtr log shows where they are missing';
  return { state: audit.isLosing ? 'bad' : 'warning', subject, text, fix };
}

/** Checks whether sessions are saved, or could be. */
async function savedSessions(context: Context, describe: Describe): Promise<Finding> {
  const subject = 'saved sessions';
  const path = await ownLocalSocket(context);
  const directory = stateDirectory(context, path);
  const running = await describe(path).catch(() => null);
  // Most commands do not need the daemon's code.
  const { checkSavedSessions, claimHolder } = await import('#app/daemon');
  const { owner, unreadable, damaged } = checkSavedSessions(context, path);
  // One that does not respond owns the socket all the same.
  const daemonPid = running?.pid ?? claimHolder(path)?.pid;
  if (owner !== null && owner !== daemonPid) {
    const text = `process ${owner}, which does not serve ${path}, uses ${directory}`;
    const fix = 'end that process, or set XDG_STATE_HOME to another directory';
    return { state: 'warning', subject, text, fix };
  }
  if (unreadable.length > 0) return unreadableFinding(unreadable, damaged.length);
  if (running === null) {
    const existing = firstExisting(directory);
    if (isAccessible(existing, constants.W_OK)) return good(subject, directory);
    const text = `sessions cannot be saved: ${existing} is not writable`;
    return { state: 'warning', subject, text, fix: 'set XDG_STATE_HOME to another directory' };
  }
  const { state, reason } = running.persist;
  if (state === 'disk') return good(subject, directory);
  if (state === 'memory') return good(subject, 'in memory, not on disk');
  const text = `sessions are not saved: ${reason}`;
  return { state: 'warning', subject, text, fix: `free space for ${directory}, or repair it` };
}

/** How many damaged files are named. */
const maxNamed = 5;

/** @param unlisted how many of the files are of damaged sessions, which are not listed */
function unreadableFinding(
  files: readonly { readonly path: string; readonly reason: string; readonly isKept?: boolean }[],
  unlisted: number,
): Finding {
  const named = files.slice(0, maxNamed).map(({ path, reason }) => {
    return reason.includes(path) ? reason : `${path}: ${reason}`;
  });
  const more = files.length > maxNamed ? `; and ${files.length - maxNamed} more` : '';
  const text = `cannot be read: ${named.join('; ')}${more}`;
  const intact = files.filter(({ isKept }) => isKept).length;
  const removals = [
    { count: unlisted, what: 'those that are damaged and not listed', how: 'vtr rm --damaged' },
    { count: intact, what: 'those that vtr cannot read', how: 'rm -r, if no other version does' },
    {
      count: files.length - unlisted - intact,
      what: 'the sessions that are listed',
      how: 'vtr rm',
    },
  ].filter(({ count }) => count > 0);
  const [only] = removals.length === 1 ? removals : [];
  const removal =
    only === undefined
      ? removals.map(({ what, how }) => `${what} with ${how}`).join('; ')
      : `them with ${only.how}`;
  const fix = `restore the files, or remove ${removal}`;
  return { state: 'warning', subject: 'saved sessions', text, fix };
}

function firstExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstExisting(dirname(path));
}

/** Checks for sockets without a listener, and for claim files of dead processes. */
async function staleFiles(context: Context, describe: Describe): Promise<Finding> {
  const all = await knownCoordinators(context);
  const local = all.filter(({ socket: path }) => !isAddress(path));
  const dead = await Promise.all(
    local.map(async ({ socket: path }) => {
      const { reason } = await describe(path).then(
        () => ({ reason: null }),
        (error: VtrError) => ({ reason: error.details['reason'] }),
      );
      return reason === 'ECONNREFUSED' && isSocket(path) ? [path] : [];
    }),
  );
  const own = await ownLocalSocket(context);
  const left = [...dead.flat(), ...staleClaims(own), ...(await staleHostSockets(own))];
  if (left.length === 0) return good('stale files', 'none');
  const fix = 'none needed: the next daemon that starts there removes them';
  return { state: 'warning', subject: 'stale files', text: left.join(', '), fix };
}

/** Checks only the process id: a reused id hides a stale file, which does no harm. */
function staleClaims(path: string): string[] {
  try {
    return readdirSync(dirname(path)).filter((name) => {
      const [, pid] = /^(\d+)-\d+\.claim$/.exec(name.slice(basename(path).length + 1)) ?? [];
      return name.startsWith(basename(path)) && pid !== undefined && !isRunning(Number(pid));
    });
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function openFiles(): Finding {
  const limits = readOrNull('/proc/self/limits') ?? '';
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (soft === undefined) return good('open files', 'limit unknown on this system');
  if (Number(soft) >= enoughFiles) return good('open files', `limit ${soft}`);
  const text = `limit ${soft} is low: each session opens several`;
  return { state: 'warning', subject: 'open files', text, fix: `ulimit -n ${enoughFiles}` };
}

function terminals(): Finding {
  const max = readOrNull('/proc/sys/kernel/pty/max')?.trim();
  const used = readOrNull('/proc/sys/kernel/pty/nr')?.trim();
  if (max === undefined || used === undefined) {
    return good('terminals', 'limit unknown on this system');
  }
  const text = `${used} of ${max} pseudo-terminals in use`;
  if (Number(max) - Number(used) > 16) return good('terminals', text);
  const fix = 'sysctl kernel.pty.max=4096 (as root)';
  return { state: 'bad', subject: 'terminals', text, fix };
}

function shell({ env }: Context): Finding {
  const named = env['SHELL'];
  if (named && isExecutable(named)) return good('shell', named);
  const shell = ['/bin/bash', '/bin/sh'].find(isExecutable);
  if (shell === undefined) {
    const fix = 'set SHELL, or default_shell in server.toml';
    return { state: 'bad', subject: 'shell', text: 'no shell found', fix };
  }
  if (!named) return good('shell', `${shell} (SHELL is not set)`);
  const text = `SHELL is ${named}, which is not executable; using ${shell}`;
  return { state: 'warning', subject: 'shell', text, fix: `export SHELL=${shellQuoted(shell)}` };
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
