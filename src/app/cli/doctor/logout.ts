import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { ownLocalSocket } from '#config';
import type { Context } from '../context.ts';
import { type Finding, good } from './finding.ts';

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
function ownName(): string | null {
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
