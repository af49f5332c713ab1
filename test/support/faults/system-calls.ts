import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { type Failure, failuresOf } from './failures.ts';

/** A call of the system that a file of src made. */
export interface SystemCall {
  /** The name of Node's function. */
  readonly name: string;
  /** The path of its file or socket; empty if it has none. */
  readonly path: string;
  /** The line that made it. */
  readonly site: string;
  /** The ways in which it can fail. */
  readonly failures: readonly Failure[];
}

/** The call that fails: its number, from 0, and how it does. */
export interface Plan {
  readonly at: number;
  readonly failure: Failure;
}

type Callable = (this: unknown, ...args: unknown[]) => unknown;
type Functions = Record<string, Callable>;

let run: { readonly plan: Plan | null; readonly calls: SystemCall[] } | null = null;
/** The paths of files that src opened, by descriptor. */
const opened = new Map<number, string>();
const undo: (() => void)[] = [];

/**
 * Counts the system calls that files of src make while `act` runs, and lets one of them fail.
 *
 * @param plan null: all are made
 */
export async function withFailure<T>(
  plan: Plan | null,
  act: () => Promise<T>,
): Promise<{ calls: readonly SystemCall[]; outcome: PromiseSettledResult<T> }> {
  const calls: SystemCall[] = [];
  run = { plan, calls };
  try {
    const [outcome] = await Promise.allSettled([act()]);
    return { calls, outcome };
  } finally {
    run = null;
  }
}

/** Counts a call. Returns how it must fail; null if it is to be made. */
export function failureOf(
  name: string,
  subject: unknown,
  site: string | null = callSite(),
): Failure | null {
  if (run === null || site === null) return null;
  const isOpen = typeof subject === 'number';
  const path = isOpen ? (opened.get(subject) ?? '') : String(subject);
  run.calls.push({ name, path, site, failures: failuresOf(name, path, isOpen) });
  return run.plan?.at === run.calls.length - 1 ? run.plan.failure : null;
}

const sourceLine = /\/(src\/[^)?]+?\.ts:\d+)/;

/** Returns the line of src that called a function of Node; null if Node itself or a test did. */
function callSite(): string | null {
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  const caller = frames.find((frame) => !frame.includes('/test/support/faults/'));
  const [, site = null] = sourceLine.exec(caller ?? '') ?? [];
  return site?.includes('.test.ts') === true ? null : site;
}

/** As {@link callSite}, of a call that Node makes for src: streams write later. */
function distantSite(): string {
  const frames = new Error().stack?.split('\n') ?? [];
  const sites = frames.map((frame) => sourceLine.exec(frame)?.[1]);
  return sites.find((site) => site !== undefined) ?? 'a stream';
}

/** Returns an error as Node makes it. */
function systemError(failure: Failure, syscall: string, path?: unknown): NodeJS.ErrnoException {
  const errno = -(constants.errno[failure as keyof typeof constants.errno] ?? 0);
  const [name, text] = getSystemErrorMap().get(errno) ?? [];
  // EDQUOT has no name.
  const code = name ?? `Unknown system error ${errno}`;
  const named = typeof path === 'string' ? ` '${path}'` : '';
  const error = new Error(`${code}: ${text ?? code}, ${syscall}${named}`);
  return Object.assign(error, {
    errno,
    code,
    syscall,
    ...(typeof path === 'string' ? { path } : {}),
  });
}

/**
 * Replaces the functions of Node through which src reaches files and Unix sockets.
 *
 * @returns puts them back
 */
export async function install(): Promise<() => void> {
  for (const name of syncNames) wrapSync(fs as unknown as Functions, name);
  wrapCallbackWrite(fs as unknown as Functions);
  for (const name of promiseNames) wrapAsync(promises as unknown as Functions, name);
  const handle = await promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Functions;
  await handle.close();
  for (const name of handleNames) wrapHandle(prototype, name);
  wrapSockets();
  syncBuiltinESMExports();
  return () => {
    for (const each of undo.splice(0).reverse()) each();
    syncBuiltinESMExports();
  };
}

const syncNames = [
  ...['openSync', 'closeSync', 'readSync', 'writeSync', 'fstatSync', 'ftruncateSync'],
  ...['statSync', 'lstatSync', 'accessSync', 'readlinkSync', 'realpathSync', 'readdirSync'],
  ...['readFileSync', 'writeFileSync', 'mkdirSync', 'mkdtempSync', 'chmodSync', 'linkSync'],
  ...['renameSync', 'rmSync', 'unlinkSync'],
];
const promiseNames = [
  ...['open', 'stat', 'lstat', 'access', 'readlink', 'readdir', 'readFile', 'mkdir', 'mkdtemp'],
  ...['chmod', 'rename', 'rm', 'rmdir', 'unlink'],
];
const handleNames = ['read', 'write', 'readFile', 'stat', 'truncate', 'sync', 'datasync'];
/** A full disk takes the first part of a file. */
const fullDisk: readonly Failure[] = ['ENOSPC', 'EDQUOT'];

function replace(target: Functions, name: string, make: (original: Callable) => Callable): void {
  const original = target[name];
  if (original === undefined) throw new Error(`Node has no ${name}`);
  // util.promisify looks for properties.
  target[name] = Object.defineProperties(
    make(original),
    Object.getOwnPropertyDescriptors(original),
  );
  undo.push(() => {
    target[name] = original;
  });
}

const syscallOf = (name: string): string =>
  name
    .replace(/Sync$/, '')
    .replace(/^(read|write)File$/, '$1')
    .replace('readdir', 'scandir');

function wrapSync(target: Functions, name: string): void {
  replace(
    target,
    name,
    (original) =>
      function wrapped(...args) {
        const failure = failureOf(name, args[0]);
        if (failure === 'short') return original.apply(this, shorter(args));
        if (failure === null) {
          const result = original.apply(this, args);
          if (name === 'openSync') opened.set(result as number, String(args[0]));
          return result;
        }
        // The descriptor is free all the same.
        if (name === 'closeSync') original.apply(this, args);
        if (name === 'writeFileSync' && fullDisk.includes(failure)) writeHalf(original, args);
        throw systemError(failure, syscallOf(name), args[0]);
      },
  );
}

function wrapAsync(target: Functions, name: string): void {
  replace(
    target,
    name,
    (original) =>
      async function wrapped(...args) {
        const failure = failureOf(name, args[0]);
        if (failure !== null) throw systemError(failure, syscallOf(name), args[0]);
        const result = await original.apply(this, args);
        if (name === 'open') wrapOpened(result as FileHandle, String(args[0]));
        return result;
      },
  );
}

function wrapHandle(target: Functions, name: string): void {
  replace(
    target,
    name,
    (original) =>
      async function wrapped(this: unknown, ...args) {
        const failure = failureOf(`handle.${name}`, (this as FileHandle).fd);
        if (failure === null) return original.apply(this, args);
        if (failure === 'short') return original.apply(this, shorter(args));
        throw systemError(failure, syscallOf(name));
      },
  );
}

/** Each handle has a `close` of its own. */
function wrapOpened(handle: FileHandle, path: string): void {
  const { close, fd } = handle;
  opened.set(fd, path);
  handle.close = async () => {
    const failure = failureOf('handle.close', fd);
    await close();
    if (failure !== null) throw systemError(failure, 'close');
  };
}

/** write(fd, buffer, offset, length, position, callback) */
function wrapCallbackWrite(target: Functions): void {
  replace(
    target,
    'write',
    (original) =>
      function wrapped(...args) {
        // It may have been made a promise by Node.
        const failure = failureOf('write', args[0], distantSite());
        if (failure === null) return original.apply(this, args);
        if (failure === 'short') return original.apply(this, shorter(args));
        const done = args.at(-1) as (error: Error) => void;
        setImmediate(done, systemError(failure, 'write'));
        return undefined;
      },
  );
}

function writeHalf(write: Callable, [file, data, ...options]: unknown[]): void {
  const isData = typeof data === 'string' || data instanceof Uint8Array;
  // Of an empty file, its name cannot be made.
  if (isData && data.length > 0) write(file, data.slice(0, data.length >> 1), ...options);
}

/** The arguments of a read or a write of half as many bytes, and at least one. */
function shorter(args: readonly unknown[]): unknown[] {
  const before = args.findIndex((each) => each instanceof Uint8Array);
  const [bytes, offset = 0, length, ...others] = args.slice(before);
  const asked = (length as number | undefined) ?? (bytes as Uint8Array).length - Number(offset);
  return [...args.slice(0, before), bytes, offset, Math.max(1, asked >> 1), ...others];
}

/** What `net.Socket` and `net.Server` do with an error that the system returns. */
function wrapSockets(): void {
  const socket = net.Socket.prototype as unknown as Functions;
  const server = net.Server.prototype as unknown as Functions;
  replace(
    socket,
    'connect',
    (original) =>
      function connect(this: unknown, ...args) {
        // As normalised by net.connect.
        const [[{ path }]] = args as [[{ path?: string }]];
        const failure = path === undefined ? null : failureOf('connect', path, distantSite());
        if (failure === null) return original.apply(this, args);
        const own = this as net.Socket;
        process.nextTick(() => own.destroy(systemError(failure, 'connect', path)));
        return own;
      },
  );
  replace(
    socket,
    '_writeGeneric',
    (original) =>
      function write(this: unknown, ...args) {
        const own = this as net.Socket;
        const isOurs = own !== process.stdout && own !== process.stderr && !own.connecting;
        const failure = isOurs ? failureOf('socket.write', '', distantSite()) : null;
        if (failure === null) return original.apply(own, args);
        const done = args.at(-1) as (error: Error) => void;
        process.nextTick(done, systemError(failure, 'write'));
        return undefined;
      },
  );
  replace(
    server,
    'listen',
    (original) =>
      function listen(this: unknown, ...args) {
        const own = this as net.Server;
        const [{ path }] = args as [{ path?: string }];
        const failure = failureOf('listen', path ?? '', distantSite());
        if (failure === null) return original.apply(own, args);
        process.nextTick(() => own.emit('error', systemError(failure, 'listen', path)));
        return own;
      },
  );
}
