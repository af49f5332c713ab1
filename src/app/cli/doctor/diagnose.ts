import { accessSync, constants, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { checkSocketPath, directoryProblem, ownSocket, readServerConfig } from '#config';
import { asVtrError, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { knownCoordinators } from '../coordinators/known-coordinators.ts';

export interface Finding {
  readonly state: 'good' | 'warning' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** What to try. */
  readonly fix?: string;
}

/** Lower than this, and a few dozen sessions exhaust it: each takes some. */
const enoughFiles = 1024;

type Examination = (context: Context) => Finding | Promise<Finding>;

/** Everything that was looked at, and what was found. */
export async function diagnose(context: Context): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const examine of examinations) {
    try {
      findings.push(await examine(context));
    } catch (error) {
      const subject = examine.name;
      findings.push({ state: 'bad', subject, text: asVtrError(error).message });
    }
  }
  return findings;
}

const good = (subject: string, text: string): Finding => ({ state: 'good', subject, text });

const examinations: readonly Examination[] = [
  node,
  configuration,
  socket,
  folder,
  daemon,
  leftovers,
  openFiles,
  terminals,
  shell,
];

function node({ version }: Context): Finding {
  return good('node', `vtr ${version} on Node ${process.versions.node}, ${process.platform}`);
}

async function configuration(context: Context): Promise<Finding> {
  const { coordinators } = await context.config();
  await readServerConfig(context);
  return good('configuration', `readable, ${coordinators.length} coordinators`);
}

async function socket(context: Context): Promise<Finding> {
  const path = checkSocketPath(await ownSocket(context));
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return good('socket', `${path}, not there yet`);
  const mode = (stat.mode & 0o777).toString(8);
  if (!stat.isSocket()) {
    return { state: 'bad', subject: 'socket', text: `${path} is no socket`, fix: `rm ${path}` };
  }
  if ((stat.mode & 0o077) === 0) return good('socket', `${path}, mode ${mode}`);
  const text = `${path} has mode ${mode}: others may do all that you may`;
  return { state: 'warning', subject: 'socket', text, fix: `chmod 600 ${path}` };
}

async function folder(context: Context): Promise<Finding> {
  const path = dirname(await ownSocket(context));
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return good('folder', `${path}, not there yet`);
  const found = directoryProblem(path);
  if (found === null) return good('folder', `${path}, nobody else can put a socket there`);
  return { state: 'bad', subject: 'folder', text: found.problem, fix: found.fix };
}

async function daemon(context: Context): Promise<Finding> {
  const path = await ownSocket(context);
  try {
    const { version, pid } = await new JsonCoordinator(path).daemon();
    if (version === context.version) return good('daemon', `version ${version}, process ${pid}`);
    const text = `process ${pid} is vtr ${version}, and this command ${context.version}`;
    const fix = 'vtr serve --stop, which ends its sessions';
    return { state: 'warning', subject: 'daemon', text, fix };
  } catch (error) {
    if (error instanceof VtrError && error.details['reason'] === 'ENOENT') {
      return good('daemon', 'none runs; vtr spawn starts one');
    }
    throw error;
  }
}

/** Sockets that nobody listens at, and what starts that never came to an end have left. */
async function leftovers(context: Context): Promise<Finding> {
  const known = await knownCoordinators(context);
  const dead = await Promise.all(
    known.map(async ({ socket: path }) => {
      const { reason } = await new JsonCoordinator(path).list().then(
        () => ({ reason: null }),
        (error: VtrError) => ({ reason: error.details['reason'] }),
      );
      return reason === 'ECONNREFUSED' ? [path] : [];
    }),
  );
  const claims = claimsBeside(await ownSocket(context));
  const left = [...dead.flat(), ...claims];
  if (left.length === 0) return good('leftovers', 'none');
  const fix = 'nothing: the next daemon that starts there takes them away';
  return { state: 'warning', subject: 'leftovers', text: left.join(', '), fix };
}

/** By number only: a process that has the number of a dead one makes no difference here. */
function claimsBeside(path: string): string[] {
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
  if (soft === undefined) return good('open files', 'the limit is not known here');
  if (Number(soft) >= enoughFiles) return good('open files', `up to ${soft}`);
  const text = `up to ${soft}, and each session takes some`;
  return { state: 'warning', subject: 'open files', text, fix: `ulimit -n ${enoughFiles}` };
}

function terminals(): Finding {
  const max = readOrNull('/proc/sys/kernel/pty/max')?.trim();
  const used = readOrNull('/proc/sys/kernel/pty/nr')?.trim();
  if (max === undefined || used === undefined) {
    return good('terminals', 'the limit is not known here');
  }
  const text = `${used} of ${max} pseudo-terminals are in use`;
  if (Number(max) - Number(used) > 16) return good('terminals', text);
  const fix = 'sysctl kernel.pty.max=4096, as root';
  return { state: 'bad', subject: 'terminals', text, fix };
}

function shell({ env }: Context): Finding {
  const named = env['SHELL'];
  if (named && isExecutable(named)) return good('shell', named);
  const found = ['/bin/bash', '/bin/sh'].find(isExecutable);
  if (found === undefined) {
    const fix = 'set SHELL, or default_shell in server.toml';
    return { state: 'bad', subject: 'shell', text: 'there is none', fix };
  }
  if (!named) return good('shell', `${found}, as SHELL is not set`);
  const text = `SHELL is ${named}, which cannot be run; ${found} is used`;
  return { state: 'warning', subject: 'shell', text, fix: `export SHELL=${found}` };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
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
