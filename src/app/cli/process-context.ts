import { fstatSync } from 'node:fs';
import { sanitize } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { readStdin } from './input/read-stdin.ts';

/** Set by the bundler. */
declare const VTR_VERSION: string;

/** Returns the context of this process. @param command its name, the prefix of its messages */
export function contextOfProcess(command: string): Context {
  exitWithReader(command);
  const { env } = process;
  let config: Promise<ClientConfig> | undefined;
  let endsOpen = false;
  return {
    env,
    get cwd() {
      return currentDirectory();
    },
    version: VTR_VERSION,
    program: process.argv[1] ?? '',
    isTerminal: process.stdout.isTTY,
    get columns() {
      return process.stdout.isTTY ? process.stdout.columns || null : null;
    },
    out(data) {
      if (data.length > 0) endsOpen = data.at(-1) !== '\n' && data.at(-1) !== lineFeed;
      process.stdout.write(data);
    },
    say(message) {
      // Output without a final line end must not join the message, as with 2>&1.
      const lineEnd = endsOpen && sharesOutput() ? '\n' : '';
      endsOpen = false;
      writeError(`${lineEnd}${command}: ${sanitize(message).text}\n`);
    },
    readInput: readStdin,
    config: () => {
      config ??= readClientConfig({ env });
      return config;
    },
  };
}

const lineFeed = 0x0a;

/** Returns whether stdout and stderr are the same file, such as a terminal or a pipe. */
function sharesOutput(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.ino === err.ino && out.dev === err.dev;
  } catch {
    return false;
  }
}

/** @throws VtrError INVALID_ARGUMENT if the directory was removed */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new VtrError(
      'INVALID_ARGUMENT',
      'the current directory was removed; change to another one',
    );
  }
}

/** Opens stderr when it is first needed: most commands write nothing to it. */
function writeError(text: string): void {
  const { stderr } = process;
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => {});
  stderr.write(text);
}

/** Exits silently when the reader of stdout exits, as in `vtr ls | head`; reports other errors. */
function exitWithReader(command: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    writeError(`${command}: cannot write to stdout: ${code}\n`);
    process.exit(errorTable.INTERNAL_ERROR.exit);
  });
}
