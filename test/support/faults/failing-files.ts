import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { defined } from '#base';
import type { Failure } from './failures.ts';
import {
  type Callable,
  distantSite,
  type Functions,
  failureOf,
  replace,
  systemError,
} from './system-calls.ts';

/** The paths of files that src opened, by descriptor. */
const opened = new Map<number, string>();

/** Replaces the functions of Node through which src reaches files. */
export async function failFiles(): Promise<void> {
  for (const name of syncNames) wrapSync(fs as unknown as Functions, name);
  wrapCallbackWrite(fs as unknown as Functions);
  for (const name of promiseNames) wrapAsync(promises as unknown as Functions, name);
  const handle = await promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Functions;
  await handle.close();
  for (const name of handleNames) wrapHandle(prototype, name);
}

/** @param subject a path or a descriptor */
function failureOfFile(name: string, subject: unknown, site?: string): Failure | null {
  const isOpen = typeof subject === 'number';
  const path = isOpen ? (opened.get(subject) ?? '') : String(subject);
  return failureOf(name, path, { isOpen, ...defined({ site }) });
}

const syncNames = [
  ...['openSync', 'closeSync', 'readSync', 'writeSync', 'fstatSync', 'ftruncateSync'],
  ...['statSync', 'lstatSync', 'accessSync', 'readlinkSync', 'realpathSync', 'readdirSync'],
  ...['readFileSync', 'writeFileSync', 'mkdirSync', 'mkdtempSync', 'chmodSync', 'linkSync'],
  ...['renameSync', 'rmSync', 'unlinkSync', 'fsyncSync'],
];
const promiseNames = [
  ...['open', 'stat', 'lstat', 'access', 'readlink', 'readdir', 'readFile', 'mkdir', 'mkdtemp'],
  ...['chmod', 'rename', 'rm', 'rmdir', 'unlink'],
];
const handleNames = ['read', 'write', 'readFile', 'stat', 'truncate', 'sync', 'datasync'];
/** A full disk takes the first part of a file. */
const fullDisk: readonly Failure[] = ['ENOSPC', 'EDQUOT'];

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
        const failure = failureOfFile(name, args[0]);
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
        const failure = failureOfFile(name, args[0]);
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
        const failure = failureOfFile(`handle.${name}`, (this as FileHandle).fd);
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
    const failure = failureOfFile('handle.close', fd);
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
        const failure = failureOfFile('write', args[0], distantSite());
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
  // An empty file fails because its name cannot be made.
  if (isData && data.length > 0) write(file, data.slice(0, data.length >> 1), ...options);
}

/** The arguments of a read or a write of half as many bytes, and at least one. */
function shorter(args: readonly unknown[]): unknown[] {
  const before = args.findIndex((each) => each instanceof Uint8Array);
  const [bytes, offset = 0, length, ...others] = args.slice(before);
  const size = (length as number | undefined) ?? (bytes as Uint8Array).length - Number(offset);
  return [...args.slice(0, before), bytes, offset, Math.max(1, size >> 1), ...others];
}
