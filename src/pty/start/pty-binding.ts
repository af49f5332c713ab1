import { constants as systemConstants } from 'node:os';
import type { ExitStatus, Size } from '#model';
import type { TerminalModes } from '../port.ts';

/** A program to start, whose strings and paths were checked. */
export interface ProgramStart {
  /** Absolute path; also argv[0]. */
  readonly file: string;
  readonly args: readonly string[];
  /** NAME=value; nothing is inherited. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly size: Size;
  /** See `sessionMark`; null for a program that belongs to no session. */
  readonly mark: bigint | null;
}

export interface StartedProgram {
  /** The master: non-blocking. */
  readonly master: number;
  /** The slave, kept open; null if it is not open yet. */
  readonly slave: number | null;
  readonly pid: number;
  /** Path of the slave. */
  readonly terminal: string;
}

/** The system's calls for programs in pseudo-terminals. Its programs inherit no other fds. */
export interface PtyBinding {
  /** For people. */
  readonly name: string;
  /**
   * The processes and threads that must be free before a start; 0 if a start without them fails and
   * harms nothing.
   */
  readonly tasksNeeded: number;
  /** Whether it marks programs. */
  readonly canMark: boolean;
  /**
   * Starts a program as the leader of a new session with a new controlling terminal, in its canonical
   * mode and with IUTF8, so that the line discipline erases whole characters.
   *
   * @param onExit called once, on the event loop, when the program has been reaped
   * @throws VtrError SYSTEM_LIMIT, SPAWN_FAILED; nothing is then left
   */
  start(program: ProgramStart, onExit: (status: ExitStatus) => void): StartedProgram;
  /** @throws Error */
  resize(master: number, size: Size): void;
  /** Returns the modes of a terminal; null if the binding cannot read them. */
  modes(master: number): TerminalModes | null;
  /** Returns the bytes of input that no program has read yet; null if the binding cannot tell. */
  unread(slave: number): number | null;
  /** Must be called after a master was closed. */
  masterClosed(master: number): void;
}

/** Linux: the first real-time signal that glibc leaves to programs, signal(7). */
const firstRealTime = 34;
const lastRealTime = 64;

const nameByNumber = new Map<number, string>();
for (const [name, number] of Object.entries(systemConstants.signals)) {
  // The first name wins: SIGABRT and SIGIO, before their aliases SIGIOT and SIGPOLL.
  if (!nameByNumber.has(number)) nameByNumber.set(number, name);
}

/** @param signal 0 after a normal exit */
export function toExitStatus(code: number, signal: number): ExitStatus {
  return signal === 0 ? { code, signal: null } : { code: null, signal: signalName(signal) };
}

function signalName(signal: number): string {
  const name = nameByNumber.get(signal);
  if (name !== undefined) return name;
  const realTime = signal >= firstRealTime && signal <= lastRealTime;
  return realTime ? `SIGRTMIN+${signal - firstRealTime}` : `SIG${signal}`;
}
