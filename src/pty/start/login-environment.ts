import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Variables } from '#model';
import { thisUser } from '#trust';
import { afterStartFiles, variablesIn } from './login-shell.ts';

/** How long an answer is used for further programs, in ms: they often come in a row. */
const freshMs = 5_000;

let latest: { readonly atMs: number; readonly variables: Promise<Variables> } | null = null;

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
  return variables;
}

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
