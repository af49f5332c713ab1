// The `vtr` command.
import { sanitize } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { readInput } from './read-input.ts';
import { runCommand } from './run-command.ts';

/** Replaced when the command is bundled. */
declare const VTR_VERSION: string;

function contextOfProcess(): Context {
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
    say: (message) => void process.stderr.write(`vtr: ${sanitize(message).text}\n`),
    readInput,
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
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`vtr: the answer cannot be written: ${code}\n`);
  process.exit(errorTable.INTERNAL_ERROR.exit);
});
process.stderr.on('error', () => {});

runCommand(process.argv.slice(2), contextOfProcess()).then((status) => {
  process.exitCode = status;
});
