import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { isMisleadingName, type Variables } from '#model';
import { thisUser } from '#trust';

type Environment = Readonly<Record<string, string>>;

export interface EnvironmentRequest {
  /** Whether only a few variables are passed. */
  readonly isMinimal?: boolean;
  /** What is passed, already without what must not be. */
  readonly base: Variables;
  /** The value of PWD. */
  readonly cwd: string;
  /** Overrides all other variables; its names are not filtered. */
  readonly explicit?: Environment;
  /** Default `xterm-256color`. */
  readonly term?: string;
}

/**
 * Returns the environment for a program. The host adds the session's marker to it, and overrides
 * any value here, because it finds the session's processes by the marker.
 */
export function buildEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { isMinimal = false, base, cwd, explicit = {}, term = 'xterm-256color' } = request;
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && (!isMinimal || isMinimalName(name))) chosen[name] = value;
  }
  if (!hasLocale(chosen)) chosen['LANG'] = defaultLocale;
  return { ...chosen, PWD: cwd, TERM: term, COLORTERM: 'truecolor', ...explicit };
}

/** The locale of UTF-8 that needs no installed data; systems of Apple have another one. */
const defaultLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** Whether a locale of characters is set. An empty value is none (POSIX, 8.2). */
const hasLocale = (variables: Environment): boolean =>
  ['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => (variables[name] ?? '') !== '');

function isMinimalName(name: string): boolean {
  return minimalNames.has(name) || (name.startsWith('LC_') && !isMisleadingName(name));
}

const minimalNames = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
]);

/** How long an answer is used for further programs, in ms: they often come in a row. */
const freshMs = 5_000;

let latest: { readonly atMs: number; readonly variables: Promise<Variables> } | null = null;
let latestTemporary: string | undefined;

/**
 * Returns the environment that this user has after a login: that of the login shell, after its start files. In a
 * container, to which nobody logs in, it is the one that the container was made with. It is not the environment of
 * this process, which depends on who started it.
 */
export function loginEnvironment(): Promise<Variables> {
  const atMs = performance.now();
  if (latest !== null && atMs - latest.atMs < freshMs) return latest.variables;
  const variables = readLogin();
  latest = { atMs, variables };
  void variables.then(({ TMPDIR }) => {
    latestTemporary = TMPDIR;
  });
  return variables;
}

/** Returns TMPDIR of the last {@link loginEnvironment}; undefined if it had none, or was not asked for. */
export const loginTemporaryDirectory = (): string | undefined => latestTemporary;

async function readLogin(): Promise<Variables> {
  const user = { ...userVariables(), ...runtimeDirectory() };
  const container = containerVariables();
  if (container !== null) return { ...container, ...user };
  const before: Variables = { PATH: systemPath, ...systemVariables(), ...user };
  const { SHELL = '/bin/sh', HOME = '/' } = before;
  return (await afterStartFiles(SHELL, HOME, before)) ?? before;
}

/** Returns what the system knows about this user; nothing about one that it does not know. */
function userVariables(): Variables {
  try {
    const { username, homedir, shell } = userInfo();
    return { HOME: homedir, USER: username, LOGNAME: username, SHELL: shell || '/bin/sh' };
  } catch {
    return {};
  }
}

/** As login(1) sets it. */
const systemPath =
  thisUser().uid === 0
    ? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    : '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

function runtimeDirectory(): Variables {
  const path = `/run/user/${thisUser().uid}`;
  return existsSync(path) ? { XDG_RUNTIME_DIR: path } : {};
}

/** Returns what a container was made with; null outside of one. */
function containerVariables(): Variables | null {
  const first = variablesIn(read('/proc/1/environ'), '\0');
  const isContainer =
    ['/.dockerenv', '/run/.containerenv'].some((each) => existsSync(each)) ||
    ['container', 'KUBERNETES_SERVICE_HOST'].some((each) => first[each] !== undefined);
  if (!isContainer) return null;
  // Its first process may belong to another user. `docker exec` gives this one the same variables.
  return Object.keys(first).length > 0 ? first : process.env;
}

/** Returns what pam_env(8) and locale.conf(5) set for every login. */
const systemVariables = (): Variables =>
  Object.assign(
    {},
    ...['/etc/environment', '/etc/default/locale', '/etc/locale.conf'].map((file) =>
      variablesIn(read(file), '\n'),
    ),
  );

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The time that the start files of a shell may take, in ms. */
const startFilesMs = 5_000;
/** More is not read, in bytes. */
const maxBytes = 1024 * 1024;

const marker = 'vtr-environment-begins-here';

/**
 * Returns the environment that a login shell has after its start files; null if it ends without it, or takes
 * too long.
 */
export function afterStartFiles(
  shell: string,
  home: string,
  env: Variables,
  limitMs = startFilesMs,
): Promise<Variables | null> {
  return new Promise((resolve) => {
    // A `-` before the name makes any shell a login shell.
    const child = spawn(shell, ['-c', `echo ${marker}; exec env -0`], {
      argv0: `-${basename(shell)}`,
      cwd: existsSync(home) ? home : '/',
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const timer = setTimeout(() => kill(child), limitMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) kill(child);
    });
    child.once('error', () => resolve(null));
    child.once('close', () => {
      clearTimeout(timer);
      // Start files may print, too.
      const [, printed] = Buffer.concat(chunks).toString('utf8').split(`${marker}\n`);
      const variables = variablesIn(printed ?? '', '\0');
      resolve('PATH' in variables ? variables : null);
    });
  });
}

/** Ends the shell with what its start files have started. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Reads `NAME=VALUE`, also `export NAME="VALUE"`; other lines, such as comments, are left out. */
export const variablesIn = (text: string, separator: string): Variables =>
  Object.fromEntries(
    text.split(separator).flatMap((each) => {
      const [, name, value] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s.exec(each) ?? [];
      if (name === undefined || value === undefined) return [];
      return [[name, separator === '\0' ? value : value.trim().replace(/^(["'])(.*)\1$/, '$2')]];
    }),
  );
