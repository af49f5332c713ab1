import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { asVtrError, type SessionRef } from '#model';
import type { CommandRequest, JsonCoordinator } from '#wire/service/short';

/** How long vtr waits for the first bytes of a pipe before it starts the program, in ms. */
const firstBytesMs = 50;
/** A terminal that reads lines passes on the first bytes of a line, and drops the rest. See termios(3). */
export const maxLineBytes = 4_095;
const lineFeed = 0x0a;
const tab = 0x09;
/** Ends the input of a program that reads lines (VEOF of termios). */
const endOfFile = 0x04;
/** Takes the special meaning from the next byte (VLNEXT of termios). */
const literalNext = 0x16;
const deleteKey = 0x7f;

/** Whether stdin is a file, a pipe or a socket, not a terminal or /dev/null. */
export function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}

/** The mode of an entry in /proc/PID/fd if the file is open for writing. */
const ownerWrites = 0o200;

function writesTo(pid: number, pipe: string): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).some((fd) => {
      const file = `${directory}/${fd}`;
      return readlinkSync(file) === pipe && (lstatSync(file).mode & ownerWrites) !== 0;
    });
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

/**
 * Whether another command of the same pipeline writes to stdin: a process of this group that is neither vtr nor one of
 * its ancestors. The pipe of a host, which may stay open and silent for ever, is written by an ancestor. False where
 * the system does not tell (Linux only).
 */
export async function isInPipeline(): Promise<boolean> {
  // Few calls need it.
  const { statFields } = await import('#app/daemon/start');
  const parentOf = (pid: number) => Number(statFields(pid)[1] ?? 0);
  const groupOf = (pid: number) => statFields(pid)[2];
  try {
    const pipe = readlinkSync('/proc/self/fd/0');
    if (!pipe.startsWith('pipe:')) return false;
    const ancestors = new Set<number>();
    for (let pid = process.pid; pid > 0 && !ancestors.has(pid); pid = parentOf(pid)) {
      ancestors.add(pid);
    }
    const group = groupOf(process.pid);
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .some((pid) => !ancestors.has(pid) && groupOf(pid) === group && writesTo(pid, pipe));
  } catch {
    return false;
  }
}

/** What vtr reads from stdin and types into a session. */
export class PipedInput {
  readonly #input = process.stdin;
  /** Whether it has had any byte. */
  hasBytes = false;
  /** Whether it may have more. */
  isOpen = true;
  /** The lines that the terminal has cut, because it reads lines. */
  cutLines = 0;
  #lineBytes = 0;

  /** Resolves when the first bytes or the end are there, or soon. */
  async begin(): Promise<void> {
    await new Promise<void>((resolve) => {
      // On a busy machine the time can be over before what is there has been read.
      const timer = setTimeout(() => setImmediate(done), firstBytesMs);
      const input = this.#input;
      function done() {
        clearTimeout(timer);
        for (const name of ['readable', 'end', 'error']) input.off(name, done);
        resolve();
      }
      for (const name of ['readable', 'end', 'error']) input.on(name, done);
    });
    this.hasBytes = this.#input.readableLength > 0;
    this.isOpen = !this.#input.readableEnded;
  }

  /**
   * Types everything, and then the end of the input: if there was any, or if `endsEmpty`. Resolves also when the
   * program no longer reads.
   */
  async typeInto(
    coordinator: Pick<JsonCoordinator, 'activity' | 'sendBytes'>,
    session: SessionRef,
    endsEmpty: boolean,
  ): Promise<void> {
    const by = 'vtr exec';
    let last = lineFeed;
    try {
      if (this.hasBytes || endsEmpty) await echoEnds(coordinator, session);
      for await (const chunk of this.#input) {
        const bytes: Uint8Array = chunk;
        if (bytes.length === 0) continue;
        this.hasBytes = true;
        last = bytes.at(-1) ?? last;
        await coordinator.sendBytes(session, quoted(bytes), { by });
        await this.#countCutLines(coordinator, session, bytes);
      }
      this.isOpen = false;
      if (!this.hasBytes && !endsEmpty) return;
      const ends = last === lineFeed ? [endOfFile] : [endOfFile, endOfFile];
      await coordinator.sendBytes(session, Uint8Array.from(ends), { by });
    } catch (error) {
      this.isOpen = false;
      const { code } = asVtrError(error);
      if (code !== 'SESSION_NOT_RUNNING' && code !== 'SESSION_NOT_FOUND') throw error;
    }
  }

  async #countCutLines(
    coordinator: Pick<JsonCoordinator, 'activity'>,
    session: SessionRef,
    bytes: Uint8Array,
  ): Promise<void> {
    let cut = 0;
    for (const byte of bytes) {
      if (byte === lineFeed) this.#lineBytes = 0;
      else if (++this.#lineBytes === maxLineBytes + 1) cut++;
    }
    if (cut === 0) return;
    const { evidence } = await coordinator.activity(session);
    // What the terminal does is unknown after the exit.
    if (evidence.canonical !== false) this.cutLines += cut;
  }

  /** Reads no more. */
  close(): void {
    this.#input.destroy();
  }
}

/** How long a machine may take to start the program, in ms. */
const startMs = 5_000;
const betweenMs = 3;

/** Resolves when the terminal does not echo, see {@link withoutEcho}; also if that is not known in time. */
async function echoEnds(
  coordinator: Pick<JsonCoordinator, 'activity'>,
  session: SessionRef,
): Promise<void> {
  for (const endMs = performance.now() + startMs; performance.now() < endMs; ) {
    const { state, evidence } = await coordinator.activity(session);
    if (evidence.echo !== true || state === 'exited') return;
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}

/** Returns bytes that the terminal passes on as they are to a program that reads lines. */
function quoted(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (const byte of bytes) {
    const isControl = byte < 0x20 || byte === deleteKey;
    if (isControl && byte !== lineFeed && byte !== tab) out.push(literalNext);
    out.push(byte);
  }
  return Uint8Array.from(out);
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
const lineOfShell = 'exec "${SHELL:-/bin/sh}" -c "$1"';

/** Returns a request that starts the same program in a terminal that does not echo, as `script` does for a pipe. */
export function withoutEcho(request: CommandRequest): CommandRequest {
  const { command, program, args = [], ...rest } = request;
  const isLine = command !== undefined && /\s/.test(command.trim());
  const words = command === undefined ? [program ?? '', ...args] : [command];
  const start = isLine ? lineOfShell : 'exec "$@"';
  // The shell would report that it is missing in its own words, with a status of its own.
  const starts = isLine ? {} : { starts: words[0] ?? '' };
  return {
    ...rest,
    ...starts,
    program: '/bin/sh',
    args: ['-c', `stty -echo; ${start}`, 'sh', ...words],
  };
}
