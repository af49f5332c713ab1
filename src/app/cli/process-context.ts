import { fstatSync } from 'node:fs';
import { sanitize, withoutControls } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { readStdin } from './input/read-stdin.ts';
import { ProcessOutput } from './process-output.ts';
import { signalStatus } from './stop-signals.ts';

/** Set by the bundler. */
declare const VTR_VERSION: string;

/** Returns the context of this process. @param command its name, the prefix of its messages */
export function contextOfProcess(command: string): Context & ProcessEnd {
  const stderr = new ProcessOutput(2, () => {});
  // Exits silently when the reader of stdout exits, as in `vtr ls | head`; reports other errors. With the status that
  // SIGPIPE has, because a verb whose output is lost has not succeeded.
  let onReaderGone = () => process.exit(signalStatus('SIGPIPE'));
  const stdout = new ProcessOutput(1, (code) => {
    if (code === 'EPIPE') {
      onReaderGone();
      return;
    }
    stderr.write(`${command}: cannot write to stdout: ${code}\n`);
    process.exit(errorTable.INTERNAL_ERROR.exit);
  });
  const { env } = process;
  let config: Promise<ClientConfig> | undefined;
  let endsOpen = false;
  const write = (data: string | Uint8Array) => {
    if (data.length > 0) endsOpen = data.at(-1) !== '\n' && data.at(-1) !== lineFeed;
    stdout.write(data);
  };
  return {
    env,
    get cwd() {
      return currentDirectory();
    },
    version: VTR_VERSION,
    program: process.argv[1] ?? '',
    get isTerminal() {
      return stdout.isTerminal;
    },
    get columns() {
      return stdout.isTerminal ? process.stdout.columns || null : null;
    },
    out: (data) => write(typeof data === 'string' ? withoutControls(data) : data),
    draw: write,
    flushed: () => stdout.flushed(),
    onReaderGone: (act) => {
      onReaderGone = act as () => never;
    },
    say(message) {
      // Output without a final line end must not join the message, as with 2>&1.
      const lineEnd = endsOpen && sharesOutput() ? '\n' : '';
      endsOpen = false;
      stderr.write(`${lineEnd}${command}: ${sanitize(message).text}\n`);
    },
    err: (text) => {
      stderr.write(withoutControls(text));
    },
    readInput: readStdin,
    config: () => {
      config ??= readClientConfig({ env });
      return config;
    },
    end(status) {
      process.exitCode = status;
      // What cannot be written to stdout ends the process with another status.
      if (stdout.isFlushed && stderr.isFlushed && !stdout.isFailing) process.exit();
    },
  };
}

/** The end of this process. */
export interface ProcessEnd {
  /**
   * Exits when all output is written, without the end of the event loop: closing connections that the
   * system closes anyway takes 3 ms.
   */
  end(status: number): void;
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
