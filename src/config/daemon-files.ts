import { constants, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ioError, ioErrors, VtrError } from '#model';
import { fileProblem } from '#trust';
import { readOwnFile } from './config-file.ts';
import { stateHome, type UserEnvironment } from './user-environment.ts';
import { createFile, makeDirectory, removeFile, replaceFile } from './write-file.ts';

/**
 * What is next to a daemon's socket, as `<socket>.<8 hex digits>.<kind>`: sockets of its PTY hosts, and files that
 * open a link to its page.
 */
type Neighbour = 'ptyd' | 'html';

/** Returns the sockets of the PTY hosts of a daemon. Their processes may be gone. */
export const ptyHostSockets = (socket: string): string[] => neighboursOf(socket, 'ptyd');

/** Returns a new path each time: the socket of a host that was killed can be left. */
export const newPtyHostSocket = (socket: string): string => newNeighbour(socket, 'ptyd');

function neighboursOf(socket: string, kind: Neighbour): string[] {
  const directory = dirname(socket);
  const name = basename(socket);
  const suffix = new RegExp(`^\\.[0-9a-f]{8}\\.${kind}$`);
  return namesIn(directory)
    .filter((each) => each.startsWith(name) && suffix.test(each.slice(name.length)))
    .map((each) => join(directory, each));
}

function newNeighbour(socket: string, kind: Neighbour): string {
  const number = Math.floor(Math.random() * 2 ** 32);
  return `${socket}.${number.toString(16).padStart(8, '0')}.${kind}`;
}

/** What a later daemon of the same socket needs to know, in a file until an orderly end. */
export interface DaemonRecord {
  /** Flags of `vtr serve`. */
  readonly flags: readonly string[];
  /** Whether it ran in the foreground: a supervisor may start the next one. */
  readonly inForeground: boolean;
  /** The directory of its saved sessions. */
  readonly state: string;
}

const recordFileOf = (socket: string): string => `${socket}.daemon`;

/** Writes the record of this daemon. @throws VtrError IO_ERROR */
export const writeDaemonRecord = (socket: string, record: DaemonRecord): void =>
  replaceFile(recordFileOf(socket), JSON.stringify(record));

/** @throws VtrError IO_ERROR */
export const removeDaemonRecord = (socket: string): void => removeFile(recordFileOf(socket));

/**
 * Returns the socket at which programs in the sessions of a daemon report what they do. It is alone in its directory,
 * so that a sandbox can have that directory and nothing else: the socket is another file after a restart.
 */
export const reportSocketOf = (socket: string): string => join(`${socket}.report`, 'socket');

/** Removes that directory. @throws VtrError IO_ERROR */
export function removeReportDirectory(socket: string): void {
  const directory = dirname(reportSocketOf(socket));
  ioErrors(directory, 'removed', () => rmSync(directory, { recursive: true, force: true }));
}

const webFileOf = (socket: string): string => `${socket}.web`;

/** Saves the state of a daemon's web page, for the next daemon. Null removes it. @throws VtrError IO_ERROR */
export function writeWebState(socket: string, state: object | null): void {
  const file = webFileOf(socket);
  if (state === null) removeFile(file);
  else replaceFile(file, JSON.stringify(state));
}

/** Returns what {@link writeWebState} saved; null if there is nothing. @throws VtrError IO_ERROR */
export const readWebState = (socket: string): unknown => readJson(webFileOf(socket));

/** Whether {@link writeWebState} has saved something. */
export const isWebSaved = (socket: string): boolean => existsSync(webFileOf(socket));

/**
 * Writes a file that opens a link in a browser, readable by the user alone. Returns its path.
 *
 * @throws VtrError IO_ERROR
 */
export function writeLinkFile(socket: string, link: string): string {
  const file = newNeighbour(socket, 'html');
  const url = link.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const head = '<!doctype html><meta charset="utf-8"><title>vtr</title>';
  const refresh = `<meta http-equiv="refresh" content="0; url=${url}">`;
  createFile(file, `${head}${refresh}<p><a href="${url}">Open the page of vtr</a>\n`);
  return file;
}

/** Removes the files of {@link writeLinkFile} that a killed daemon has left. @throws VtrError IO_ERROR */
export function removeLinkFiles(socket: string): void {
  for (const each of neighboursOf(socket, 'html')) removeFile(each);
}

/**
 * Returns the record of a daemon that was killed or left its sessions; null if there is none.
 *
 * @throws VtrError IO_ERROR: without it, sessions would be looked for in another directory
 */
export function readDaemonRecord(socket: string): DaemonRecord | null {
  const { flags, inForeground, state } = readJson(recordFileOf(socket)) ?? {};
  if (!Array.isArray(flags) || typeof state !== 'string' || !isAbsolute(state)) return null;
  const words = flags.filter((flag) => typeof flag === 'string');
  return { flags: words, inForeground: inForeground === true, state };
}

/** Returns null if the file does not exist, is not JSON, or may be another user's. @throws VtrError IO_ERROR */
function readJson(file: string): Readonly<Record<string, unknown>> | null {
  try {
    // Before a daemon has checked the directory of its socket, another user may have put it there.
    if (fileProblem(file, statSync(file), { owner: 'user', others: 'read' }) !== null) return null;
    return JSON.parse(readOwnFile(file));
  } catch (error) {
    if (error instanceof SyntaxError || isAbsent(error)) return null;
    throw ioError(file, 'read', error);
  }
}

/**
 * Returns the directory in which a daemon saves its sessions: that of its predecessor, which may have
 * had another environment, or one named by the path of the socket, which has no `//`.
 */
export function stateDirectory(user: UserEnvironment, socket: string): string {
  return readDaemonRecord(socket)?.state ?? join(stateHome(user), fileNameOf(socket));
}

const fileNameOf = (socket: string): string => socket.replaceAll('!', '!!').replaceAll('/', '!');

/** Returns the directory of a daemon's audit trail, which stays when its sessions are removed. */
export const auditDirectory = (user: UserEnvironment, socket: string): string =>
  join(dirname(stateDirectory(user, socket)), 'audit', fileNameOf(socket));

/** Returns the directory of the lines that the scrollbacks of a daemon's sessions dropped. */
export const archiveDirectory = (user: UserEnvironment, socket: string): string =>
  join(dirname(stateDirectory(user, socket)), 'archive', fileNameOf(socket));

/** Returns the directory of the user's recordings, which all daemons share. */
export const recordingsDirectory = (user: UserEnvironment): string =>
  join(stateHome(user), 'recordings');

/** Whether sessions are saved for a daemon: each has a directory, named by its id. */
export const hasSavedSessions = (user: UserEnvironment, socket: string): boolean =>
  entriesIn(stateDirectory(user, socket)).some(
    (entry) => entry.isDirectory() && !entry.name.includes('.'),
  );

/** The file in the directory of saved sessions that has the number of those not listed until a command reports it. */
export const damagedNoticeName = 'damaged.notice';

/** Saved sessions that are not listed. */
export interface DamagedNotice {
  /** How many of them are damaged. */
  readonly damaged: number;
  /** How many cannot be read although they may be whole. */
  readonly unreadable: number;
  /** Why one of those cannot be read; empty if there are none. */
  readonly reason: string;
}

const countIn = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0);

/** Returns what a daemon has found since the last call; nothing if that cannot be read. */
export function takeDamagedNotice(user: UserEnvironment, socket: string): DamagedNotice {
  let notice: Readonly<Record<string, unknown>> = {};
  try {
    const path = join(stateDirectory(user, socket), damagedNoticeName);
    notice = readJson(path) ?? {};
    // If it cannot be removed, the next command reports it again.
    if (Object.keys(notice).length > 0) rmSync(path);
  } catch {
    // `vtr doctor` names the files in any case.
  }
  const { sessions, unreadable, reason } = notice;
  return {
    damaged: countIn(sessions),
    unreadable: countIn(unreadable),
    reason: typeof reason === 'string' ? reason : '',
  };
}

/** Whether sessions are left where no daemon may run: a PTY host runs, or sessions are saved. */
export async function areSessionsLeft(user: UserEnvironment, socket: string): Promise<boolean> {
  const hosts = await Promise.all(ptyHostSockets(socket).map(isListening));
  return hosts.includes(true) || hasSavedSessions(user, socket);
}

/** Returns the log of a daemon without a terminal, and of its PTY host. */
export const logFileOf = (socket: string): string => `${socket.replace(/\.sock$/, '')}.log`;

/** Returns a file descriptor for appending, or null if the log cannot be opened. */
export function openLog(file: string): number | null {
  try {
    makeDirectory(dirname(file));
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    return openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  } catch {
    return null;
  }
}

function namesIn(directory: string): string[] {
  return entriesIn(directory).map(({ name }) => name);
}

/** @throws VtrError IO_ERROR: what cannot be listed may be there */
function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw ioError(directory, 'read', error);
  }
}

/** Whether there is no such file or directory of ours: others keep theirs from us. */
const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');

/** A listening peer answers at once, even a busy one: the kernel accepts the connection. */
const connectTimeoutMs = 5000;

/** What `connect` fails with where no process listens. */
const notListening = ['ECONNREFUSED', 'ENOENT', 'ENOTDIR', 'ENOTSOCK'];
/** What it fails with where this process or the system can connect to nothing. */
const outOfFiles = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'];

/**
 * Whether a process listens at a Unix socket.
 *
 * @throws VtrError UNAVAILABLE if the system cannot connect to any
 */
export async function isListening(socket: string): Promise<boolean> {
  // Most commands need no streams, which take long to load.
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    const end = (isThere: boolean) => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => end(true));
    // EAGAIN means that the queue is full, so a process listens.
    connection.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (outOfFiles.includes(code)) reject(cannotTell(socket, code));
      else end(!notListening.includes(code));
    });
    connection.setTimeout(connectTimeoutMs, () => end(true));
  });
}

const cannotTell = (socket: string, code: string): VtrError =>
  new VtrError('UNAVAILABLE', `cannot connect to ${socket}: no more files can be opened (${code})`);
