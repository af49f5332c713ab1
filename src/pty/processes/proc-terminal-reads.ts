import { closeSync, openSync, read, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type BlockedSystemCall,
  fdsOfEpoll,
  fdsOfPoll,
  fdsOfSelect,
  parseBlockedSystemCall,
  pollBytes,
  selectBytes,
  type WaitedFd,
} from './blocked-system-call.ts';
import type { TerminalRead } from './process-table.ts';

// Synchronous is only what the kernel answers without a lock that a process can hold for long, as an exec
// or a change of the memory map do: `stat`, `children`, directories, links, and opening the files that
// `readText` reads. Each other call costs two changes of threads.

/** Links read before the event loop turns: less than a millisecond's worth. */
const sliceLength = 64;

/** The alias of the controlling terminal of any process, tty(4). */
const controllingTerminal = '/dev/tty';

/**
 * File descriptors by which a program wakes itself up, or learns of a signal, a timer or a changed
 * file, as opposed to data from another program.
 */
const ownWakeUps = /^anon_inode:(\[(eventfd|signalfd|timerfd)\]|inotify)$/;

/**
 * The kernel function in which a thread reads a terminal; some kernels report `wait_woken` instead.
 */
const readOfTerminal = 'n_tty_read';

/**
 * Returns whether a thread of the process is blocked until the terminal has input: in a read, or in
 * a wait for input and for nothing else but its own wake-ups. `only` if nothing else can make the process
 * continue; `also` if it waits for something else as well, as ssh does; `loop` in an event loop. Null if the
 * system does not permit the check. Linux only.
 *
 * @param terminal path of the controlling terminal of the process
 */
export async function readsTerminal(pid: number, terminal: string): Promise<TerminalRead> {
  const stat = textNow(`/proc/${pid}/stat`) ?? '';
  // A stopped process is still reported in the system call in which it was stopped.
  if (/^[Tt]/.test(stateIn(stat))) return false;
  const directory = `/proc/${pid}/task`;
  let answer: TerminalRead = false;
  const threads = onlyThread.test(stat) ? [String(pid)] : namesIn(directory);
  for (const thread of threads) {
    const reads = await threadReads(pid, `${directory}/${thread}`, terminal);
    if (reads === true) return true;
    if (reads === 'only') return threads.length === 1 && !hasChild(pid) ? 'only' : true;
    if (reads === 'loop' || (reads !== false && answer !== 'loop' && answer !== 'also'))
      answer = reads;
  }
  // It may have ended in between, and then it reads nothing.
  return answer === null && /^[ZX]?$/.test(stateOf(pid)) ? false : answer;
}

/** Contract: `ProcessTable.isWorking`. */
export async function isWorking(pid: number, terminal: string): Promise<boolean | null> {
  // Null for a process of another user, whose input may be the terminal.
  const input = pathOf(pid, 0);
  if (input !== null && !isTerminal(input, terminal)) return false;
  const threads = namesIn(`/proc/${pid}/task`);
  return threads.some((thread) => /^[RD]/.test(stateOf(`${pid}/task/${thread}`)));
}

/** True if the system does not report children (CONFIG_PROC_CHILDREN). */
const hasChild = (pid: number): boolean =>
  textNow(`/proc/${pid}/task/${pid}/children`)?.trim() !== '';

/**
 * The letter of proc_pid_stat(5), such as `S` or `T`; empty if there is no such process.
 *
 * @param of a pid, or PID/task/TID
 */
const stateOf = (of: number | string): string => stateIn(textNow(`/proc/${of}/stat`) ?? '');

const stateIn = (stat: string): string => stat.charAt(stat.lastIndexOf(')') + 2);

/** In proc_pid_stat(5): 1 in field 20. The first thread of a process that lives then has not ended. */
const onlyThread = /\) [^ZX)](?: -?\d+){16} 1 [^)]*$/;

async function threadReads(pid: number, task: string, terminal: string): Promise<TerminalRead> {
  const text = await blockedCalls.of(task);
  if (text === null) return readsByName(task);
  const call = parseBlockedSystemCall(text, process.arch);
  if (call.of === 'other') return false;
  if (call.of === 'unknown') return null;
  if (call.of === 'read') {
    const path = pathOf(pid, call.fd);
    if (path === null) return null;
    return isTerminal(path, terminal) ? 'only' : false;
  }
  const fds = await waitedFds(pid, call);
  if (fds === null) return null;
  const reads = await waitsForTerminal(pid, fds, terminal);
  if (reads !== true) return reads;
  return call.of === 'epoll' ? 'loop' : call.timesOut || 'only';
}

/** How the files of a thread are read; null if one may not be. */
interface ThreadFiles {
  now(path: string): string | null;
  later(path: string): Promise<string | null>;
}

/** As `ProcessTable.firstRunTrace`. All numbers are 0 if the system does not count. */
export function runTraceNow(pid: number): string | null {
  const trace = textNow(`/proc/${pid}/schedstat`);
  return trace !== null && /^[1-9]/.test(trace) ? trace : null;
}

/** The most threads whose system call is known. */
const maxKnownCalls = 1_000;

/**
 * The texts of `syscall` of threads. To read one may wait for an exec, so it costs two changes of threads. A thread that
 * has not run since is in the same system call: the kernel counts the time that it ran, in ns, in `schedstat`
 * (Documentation/scheduler/sched-stats.rst of Linux), which takes no lock.
 */
export class BlockedCalls {
  readonly #read: ThreadFiles;
  readonly #texts = new Map<string, { readonly trace: string; readonly text: string }>();

  constructor(read: ThreadFiles) {
    this.#read = read;
  }

  /** @param task the directory of the thread; null if its system call may not be read */
  async of(task: string): Promise<string | null> {
    // Before the text: if it runs meanwhile, the trace is an old one.
    const trace = this.#read.now(`${task}/schedstat`);
    const last = this.#texts.get(task);
    if (last?.trace === trace) return last.text;
    this.#texts.delete(task);
    const text = await this.#read.later(`${task}/syscall`);
    const isCounted = trace !== null && /^[1-9]/.test(trace);
    if (isCounted && text !== null && isBlocked.test(text)) this.#note(task, { trace, text });
    return text;
  }

  #note(task: string, call: { readonly trace: string; readonly text: string }): void {
    const [oldest] = this.#texts.keys();
    if (this.#texts.size >= maxKnownCalls && oldest !== undefined) this.#texts.delete(oldest);
    this.#texts.set(task, call);
  }
}

/** Else it is `running`. */
const isBlocked = /^\d/;

const blockedCalls = new BlockedCalls({ now: textNow, later: readText });

/** For processes that may not be traced, for example those of another user. */
async function readsByName(task: string): Promise<'only' | null> {
  return (await readText(`${task}/wchan`)) === readOfTerminal ? 'only' : null;
}

async function waitsForTerminal(
  pid: number,
  fds: readonly WaitedFd[],
  terminal: string,
): Promise<TerminalRead> {
  let reads = false;
  let waitsForOthers = false;
  for (const [index, { fd, input }] of fds.entries()) {
    if (index % sliceLength === sliceLength - 1) await nextLoopTurn();
    const path = pathOf(pid, fd);
    if (path === null) return null;
    if (isTerminal(path, terminal)) reads ||= input;
    else if (!(await isOwnWakeUp(pid, fd, path))) waitsForOthers = true;
  }
  return reads && waitsForOthers ? 'also' : reads;
}

function isTerminal(path: string, terminal: string): boolean {
  return path === terminal || path === controllingTerminal;
}

/** Includes a pipe that the process itself can write to, and a pair of sockets of its own. */
async function isOwnWakeUp(pid: number, fd: number, path: string): Promise<boolean> {
  if (ownWakeUps.test(path)) return true;
  const [, socket] = /^socket:\[(\d+)\]$/.exec(path) ?? [];
  if (socket !== undefined) return hasOtherEnd(pid, Number(socket));
  const file = await stat(`/proc/${pid}/fd/${fd}`).catch(() => null);
  return file?.isFIFO() === true && canWrite(pid, path);
}

async function canWrite(pid: number, path: string): Promise<boolean> {
  for (const [fd, each] of await pathsOf(pid)) {
    if (each !== path) continue;
    // The permissions of the link show the mode that the file was opened in.
    const link = await lstat(`/proc/${pid}/fd/${fd}`).catch(() => null);
    if (link !== null && (link.mode & 0o200) !== 0) return true;
  }
  return false;
}

/**
 * Returns whether a process has both ends of a socketpair(2), as event loops do to wake themselves
 * up (Python's asyncio). The kernel does not report the other end of a socket here, but numbers the
 * two ends of a pair one after the other.
 *
 * @param inode the number of one end
 */
async function hasOtherEnd(pid: number, inode: number): Promise<boolean> {
  const own = new Set((await pathsOf(pid)).map(([, path]) => path));
  const near = [inode - 1, inode + 1].filter((each) => own.has(`socket:[${each}]`));
  if (near.length === 0) return false;
  const pairs = namelessStreams((await readText(`/proc/${pid}/net/unix`)) ?? '');
  return pairs.has(inode) && near.some((each) => pairs.has(each));
}

/** @param unix proc_pid_net_unix: `address: references protocol flags type state inode path` */
function namelessStreams(unix: string): Set<number> {
  const connected = /^\S+ \S+ \S+ \S+ 0001 03 +(\d+)$/gm;
  return new Set([...unix.matchAll(connected)].map(([, inode]) => Number(inode)));
}

/** The open files of a process: fd and path. */
async function pathsOf(pid: number): Promise<[fd: number, path: string | null][]> {
  const paths: [number, string | null][] = [];
  for (const fd of namesIn(`/proc/${pid}/fd`)) {
    if (paths.length % sliceLength === sliceLength - 1) await nextLoopTurn();
    paths.push([Number(fd), pathOf(pid, Number(fd))]);
  }
  return paths;
}

/** Null if the system does not report them. */
async function waitedFds(
  pid: number,
  call: Extract<BlockedSystemCall, { of: 'poll' | 'select' | 'epoll' }>,
): Promise<readonly WaitedFd[] | null> {
  if (call.of === 'epoll') {
    const fdinfo = await readText(`/proc/${pid}/fdinfo/${call.fd}`);
    return fdinfo === null ? null : fdsOfEpoll(fdinfo);
  }
  if (call.of === 'poll') {
    const structures = await readMemory(pid, call.address, pollBytes(call.count));
    return structures === null ? null : fdsOfPoll(structures);
  }
  const length = selectBytes(call.count);
  const sets: Buffer[] = [];
  for (const address of call.addresses) {
    const set = address === 0 ? Buffer.alloc(length) : await readMemory(pid, address, length);
    if (set === null) return null;
    sets.push(set);
  }
  return fdsOfSelect(sets, call.count);
}

/** Needs the same permission as `syscall`: ptrace(2), "Ptrace access mode checking". */
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

function pathOf(pid: number, fd: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return null;
  }
}

/** Empty if it may not be read. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function textNow(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const readPart = promisify(read);

/** In bytes; the buffer of the kernel for such a file. */
const partBytes = 4096;
/** A first part that is shorter, in bytes, is the whole file: it ends before a record that does not fit. */
const wholeBytes = 2048;

/** Reads a file of proc(5) whose opening takes no lock. */
async function readText(path: string): Promise<string | null> {
  let fd: number | null = null;
  try {
    fd = openSync(path, 'r');
    const part = Buffer.alloc(partBytes);
    let text = '';
    for (;;) {
      const { bytesRead } = await readPart(fd, part, 0, partBytes, null);
      text += part.toString('latin1', 0, bytesRead);
      if (bytesRead === 0 || text.length < wholeBytes) return text;
    }
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
