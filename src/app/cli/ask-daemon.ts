import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { fileState } from '#app/launch';
import { plainSocket } from '#config';
import { isOwn, untrustedSocket } from '#trust';
import { askCommand, newInputId } from '#wire/service/short';
import { asksForJson } from './verbs/short-verb-names.ts';

/**
 * The short verbs that the daemon runs sooner than this process loads their code, and whether they have an id, so that
 * they have their effect once. Those that wait for long are not among them, and `rm` is not: it has no id.
 */
const verbs: Readonly<Record<string, 'reads' | 'has id'>> = {
  commands: 'reads',
  info: 'reads',
  key: 'has id',
  ls: 'reads',
  read: 'reads',
  screen: 'reads',
  send: 'has id',
  spawn: 'has id',
};

/** Flags that need this process or another coordinator, or wait. */
const ownFlags =
  /^(?:-h|--(?:coordinator|follow|help|stdin|submit|wait|wait-driver|watch)(?:=.*)?)$/s;

/**
 * How long the daemon may take for its answer, in ms. Then this process runs the command, which knows what to do about a
 * daemon that does not respond.
 */
const answerMs = 1_000;

/** The status of UNAVAILABLE; that of an output that cannot be written; and that of SIGPIPE in shells. */
const statuses = { unavailable: 3, unwritten: 10, pipe: 141 } as const;

/**
 * Has the daemon run a short command, prints what it answers, and ends this process. What is typed has an id, so that it
 * is typed once if this process runs the command after all.
 *
 * @param program the file that Node runs
 * @param run runs the command in this process
 */
export function askDaemon(program: string, run: () => void): void {
  if (!isAsked(program, run)) run();
}

function isAsked(program: string, run: () => void): boolean {
  const words = process.argv.slice(2);
  const [verb = ''] = words;
  const does = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  const end = words.indexOf('--');
  const mayBeFlags = end < 0 ? words : words.slice(0, end);
  if (does === undefined || mayBeFlags.some((word) => ownFlags.test(word))) return false;
  if (process.versions['bun'] !== undefined) return false;
  const { env, ppid } = process;
  const socket = plainSocket({ env });
  if (socket === null || !mayKnowEnvironment(socket)) return false;
  const caller = callerOf(program);
  if (caller === null) return false;
  if (does === 'has id' && !mayBeFlags.some((word) => word.startsWith('--input-id'))) {
    words.splice(1, 0, '--input-id', newInputId());
    process.argv.splice(2, words.length, ...words);
  }
  let hasPrinted = false;
  return askCommand(
    socket,
    { ...caller, words, env: env as Readonly<Record<string, string>>, ppid },
    {
      answerMs,
      onPart: (part) => {
        if ('status' in part) process.exit(part.status);
        hasPrinted = true;
        print(part.file, part.bytes);
      },
      onFailed: () => {
        if (!hasPrinted) return run();
        fail('unavailable', `the daemon at ${socket} ended before the command did`);
      },
    },
  );
}

/** Whether only a process of this user can listen at a socket: it gets the environment. */
function mayKnowEnvironment(socket: string): boolean {
  try {
    return isOwn(statSync(socket)) && untrustedSocket(socket) === null;
  } catch {
    // There is none, or this user may not look.
    return false;
  }
}

/** Returns null for a terminal, of which this process knows more. */
function callerOf(program: string) {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    if (mayBeTerminal(out)) return null;
    return {
      cwd: process.cwd(),
      isTerminal: false,
      columns: null,
      sharesOutput: out.ino === err.ino && out.dev === err.dev,
      program: fileState(statSync(program)),
    };
  } catch {
    return null;
  }
}

const mayBeTerminal = (stat: Stats): boolean =>
  stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;

/** As `tellError`, which this process has not loaded. */
function fail(reason: 'unavailable' | 'unwritten', message: string): never {
  const isJson = asksForJson(process.argv.slice(2));
  const exit_status = statuses[reason];
  const code = reason === 'unavailable' ? 'UNAVAILABLE' : 'IO_ERROR';
  const error = { code, message, hint: null, session: null, exit_status, details: {} };
  print(2, Buffer.from(isJson ? `${JSON.stringify({ error })}\n` : `vtr: ${message}\n`));
  process.exit(exit_status);
}

/** Writes all, and waits for a reader that is slow. A signal ends this process at once. */
export function print(file: 1 | 2, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else if (file === 2) return;
      else if (code === 'EPIPE') process.exit(statuses.pipe);
      else {
        fail('unwritten', `cannot write to stdout: ${code}`);
      }
    }
  }
}
