import { lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeOf, ownHome, type UserEnvironment } from '#config';
import { type Address, parseAddress } from '#model';
import { isOwn } from '#trust';

/**
 * For how long a socket is used, in ms. A later call connects as if there were none, and so finds out where
 * the coordinator listens now.
 */
const periodMs = 60 * 60_000;
/** For how long no forward is tried again where one failed, in ms. */
const refusedMs = 10 * 60_000;

/** The longest path of a socket on macOS, in bytes, with the zero at its end. */
const maxPathBytes = 104;

/** What ssh takes literally in a forward, and does not split. */
const literal = /^[\w./@,+-]+$/;

/** The directory in which ssh has sockets for a user. */
export const sshDirectory = (user: UserEnvironment): string => join(ownHome(user), '.vtr/ssh');

/** Whether a path can be one end of a forward. */
export const canForward = (path: string): boolean =>
  path.startsWith('/') && literal.test(path) && Buffer.byteLength(path) < maxPathBytes;

/**
 * Returns the path of the socket here that ssh may forward to the coordinator of an address. It changes with
 * time, and with the user's configuration of ssh, which says where an address leads.
 *
 * @returns null if none can be
 */
export function forwardedPath(address: Address, user: UserEnvironment): string | null {
  if (address.kind !== 'ssh') return null;
  const { user: login = '', host, port = '', socket = '' } = address;
  if (/[+,]/.test(socket)) return null;
  const parts = [login, host, port, socket.replaceAll('/', '+')];
  const config = sshConfigStamp(homeOf(user));
  if (config === null) return null;
  const stamp = [Date.now() / periodMs, config].map(base36).join('-');
  const path = join(sshDirectory(user), `${parts.join(',')},${stamp}.sock`);
  return canForward(path) ? path : null;
}

/** Returns the socket at {@link forwardedPath}; null if there is none. */
export function forwardedSocket(address: string, user: UserEnvironment): string | null {
  const path = forwardedPath(parseAddress(address), user);
  return path !== null && stateOf(path) === 'socket' ? path : null;
}

/** What is at a {@link forwardedPath}: a socket, a file that says that a forward failed lately, or neither. */
export function stateOf(path: string): 'socket' | 'refused' | 'none' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !isOwn(stats)) return 'none';
  if (stats.isSocket()) return 'socket';
  return Date.now() - stats.mtimeMs < refusedMs ? 'refused' : 'none';
}

/**
 * Removes a socket that led to no coordinator. Does not fail: the call that used it may have succeeded otherwise.
 *
 * @param isRefused whether ssh listened there: then the other side does not forward, or no coordinator ran
 */
export function forgetForward(path: string, isRefused: boolean): void {
  try {
    rmSync(path, { force: true });
    if (isRefused) writeFileSync(path, '');
  } catch {
    // The next call finds it again.
  }
}

const base36 = (value: number): string => Math.floor(value).toString(36);

/** More are not followed. */
const maxFiles = 200;

/** What ssh expands, or what this file does not know. */
const expanded = /[*?[\]{}%$\\"']/;

const include = /^[ \t]*include(?:[ \t]*=[ \t]*|[ \t]+)(.*)$/gim;

/**
 * Returns a number that changes when a file of ssh's configuration changes, also one that another includes
 * (ssh_config(5), Include).
 *
 * @param home of the user
 * @returns null if it cannot be known which files there are
 */
function sshConfigStamp(home: string): number | null {
  const stamp = new Stamp(home);
  const isKnown =
    stamp.add(join(home, '.ssh/config'), join(home, '.ssh')) &&
    stamp.add('/etc/ssh/ssh_config', '/etc/ssh');
  return isKnown ? stamp.value : null;
}

class Stamp {
  value = 0;
  #files = 0;
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Adds a file and those that it includes. Returns whether all are known. */
  add(file: string, base: string): boolean {
    if (++this.#files > maxFiles) return false;
    this.#addTime(file);
    const patterns = [...read(file).matchAll(include)].flatMap(([, words = '']) =>
      words.split(/[ \t\r]+/),
    );
    return patterns.every((pattern) => pattern === '' || this.#addIncluded(pattern, base));
  }

  #addIncluded(pattern: string, base: string): boolean {
    const path = pattern.startsWith('~/') ? join(this.#home, pattern.slice(2)) : pattern;
    const full = path.startsWith('/') ? path : join(base, path);
    if (!expanded.test(full)) return this.add(full, base);
    const directory = dirname(full);
    if (expanded.test(directory) || /["'$%\\]/.test(full)) return false;
    // All its files, also those that the pattern does not match.
    this.#addTime(directory);
    return list(directory).every((name) => this.add(join(directory, name), base));
  }

  #addTime(path: string): void {
    this.value = Math.imul(this.value, 0x01000193) ^ changedMs(path);
    this.value >>>= 0;
  }
}

/** 0 if it cannot be read: then ssh reads nothing there. */
function changedMs(path: string): number {
  try {
    return Math.floor(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
