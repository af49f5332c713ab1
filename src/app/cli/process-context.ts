import { sanitize } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { readStdin } from './input/read-stdin.ts';

/** Replaced when the command is bundled. */
declare const VTR_VERSION: string;

/** What a command finds around it. @param command its name, with which its messages begin */
export function contextOfProcess(command: string): Context {
  endWithReader(command);
  const { env } = process;
  let config: Promise<ClientConfig> | undefined;
  return {
    env,
    get cwd() {
      return currentFolder();
    },
    version: VTR_VERSION,
    program: process.argv[1] ?? '',
    isTerminal: process.stdout.isTTY,
    out: (data) => void process.stdout.write(data),
    say: (message) => void process.stderr.write(`${command}: ${sanitize(message).text}\n`),
    readInput: readStdin,
    config: () => {
      config ??= readClientConfig({ env });
      return config;
    },
  };
}

/** @throws VtrError INVALID_ARGUMENT where somebody has removed it */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new VtrError('INVALID_ARGUMENT', 'the current folder is gone; go to another one');
  }
}

/** `vtr ls | head` ends with head, without a word; a full disk is worth one. */
function endWithReader(command: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    process.stderr.write(`${command}: the answer cannot be written: ${code}\n`);
    process.exit(errorTable.INTERNAL_ERROR.exit);
  });
  process.stderr.on('error', () => {});
}
