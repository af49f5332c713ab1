import { lstat, open, readdir, readFile, readlink } from 'node:fs/promises';
import { type BlockedCall, parseBlockedCall } from './blocked-system-call.ts';
import {
  bytesOfPoll,
  bytesOfSelect,
  filesOfEpoll,
  filesOfPoll,
  filesOfSelect,
  type WaitedFile,
} from './waited-fds.ts';

// Nothing here is synchronous: the kernel may make whoever looks into a process wait for it.

/** What opens the controlling terminal, whichever it is: tty(4). */
const controllingTerminal = '/dev/tty';

/**
 * Descriptors by which a program wakes itself, or is told of a signal, a time, or a changed file;
 * not what another program may have to say.
 */
const ownWakeUps = /^anon_inode:(\[(eventfd|signalfd|timerfd)\]|inotify)$/;

/** Where a thread reads a terminal in kernels that do not hide it behind `wait_woken`. */
const readOfTerminal = 'n_tty_read';

/**
 * Linux: whether a thread of the process is blocked until the terminal has input, by a read or by
 * waiting for that and nothing but its own wake-ups. Null where it waits for something else as well,
 * as ssh does, and where the system does not let us look.
 *
 * @param terminal path of the controlling terminal of the process
 */
export async function readsTerminal(pid: number, terminal: string): Promise<boolean | null> {
  if (await isStopped(pid)) return false;
  const folder = `/proc/${pid}/task`;
  let answer: boolean | null = false;
  for (const thread of await readdir(folder).catch(() => [])) {
    const reads = await threadReads(pid, `${folder}/${thread}`, terminal);
    if (reads === true) return true;
    if (reads === null) answer = null;
  }
  return answer;
}

/** A stopped program still shows the call that it was in. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readText(`/proc/${pid}/stat`);
  return /^[Tt]/.test(stat?.slice(stat.lastIndexOf(')') + 2) ?? '');
}

async function threadReads(pid: number, task: string, terminal: string): Promise<boolean | null> {
  const text = await readText(`${task}/syscall`);
  if (text === null) return readsByName(task);
  const call = parseBlockedCall(text, process.arch);
  if (call.of === 'other') return false;
  if (call.of === 'unknown') return null;
  if (call.of === 'read') {
    const path = await pathOf(pid, call.file);
    return path === null ? null : isTerminal(path, terminal);
  }
  const files = await waitedFiles(pid, call);
  return files === null ? null : waitsForTerminal(pid, files, terminal);
}

/** For programs that may not be traced, e.g. those that run as another user. */
async function readsByName(task: string): Promise<boolean | null> {
  return (await readText(`${task}/wchan`)) === readOfTerminal ? true : null;
}

async function waitsForTerminal(
  pid: number,
  files: readonly WaitedFile[],
  terminal: string,
): Promise<boolean | null> {
  let reads = false;
  let waitsForOthers = false;
  for (const { file, input } of files) {
    const path = await pathOf(pid, file);
    if (path === null) return null;
    if (isTerminal(path, terminal)) reads ||= input;
    else if (!(await isOwnWakeUp(pid, path))) waitsForOthers = true;
  }
  return reads && waitsForOthers ? null : reads;
}

function isTerminal(path: string, terminal: string): boolean {
  return path === terminal || path === controllingTerminal;
}

/** Also a pipe that the program itself can write to. */
async function isOwnWakeUp(pid: number, path: string): Promise<boolean> {
  if (ownWakeUps.test(path)) return true;
  if (!path.startsWith('pipe:')) return false;
  for (const file of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    if ((await pathOf(pid, Number(file))) !== path) continue;
    // The permissions of the link are those that the file was opened with.
    const link = await lstat(`/proc/${pid}/fd/${file}`).catch(() => null);
    if (link !== null && (link.mode & 0o200) !== 0) return true;
  }
  return false;
}

/** Null where it is not told. */
async function waitedFiles(
  pid: number,
  call: Extract<BlockedCall, { of: 'poll' | 'select' | 'epoll' }>,
): Promise<readonly WaitedFile[] | null> {
  if (call.of === 'epoll') {
    const fdinfo = await readText(`/proc/${pid}/fdinfo/${call.file}`);
    return fdinfo === null ? null : filesOfEpoll(fdinfo);
  }
  if (call.of === 'poll') {
    const structures = await readMemory(pid, call.address, bytesOfPoll(call.count));
    return structures === null ? null : filesOfPoll(structures);
  }
  const length = bytesOfSelect(call.count);
  const sets: Buffer[] = [];
  for (const address of call.addresses) {
    const set = address === 0 ? Buffer.alloc(length) : await readMemory(pid, address, length);
    if (set === null) return null;
    sets.push(set);
  }
  return filesOfSelect(sets, call.count);
}

/** The same permission as for `syscall`: ptrace(2), "Ptrace access mode checking". */
async function readMemory(pid: number, address: number, length: number): Promise<Buffer | null> {
  if (length === 0) return Buffer.alloc(0);
  const memory = await open(`/proc/${pid}/mem`).catch(() => null);
  if (memory === null) return null;
  try {
    const { bytesRead, buffer } = await memory.read(Buffer.alloc(length), 0, length, address);
    return bytesRead === length ? buffer : null;
  } catch {
    return null;
  } finally {
    await memory.close();
  }
}

function pathOf(pid: number, file: number): Promise<string | null> {
  return readlink(`/proc/${pid}/fd/${file}`).catch(() => null);
}

function readText(path: string): Promise<string | null> {
  return readFile(path, 'latin1').catch(() => null);
}
