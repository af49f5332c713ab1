// The `vtr` command.
import { readFileSync } from 'node:fs';
import { sanitize } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import type { Context } from './context.ts';
import { runCommand } from './run-command.ts';

/** Replaced when the command is bundled. */
declare const VTR_VERSION: string;

function contextOfProcess(): Context {
  const { env } = process;
  let config: Promise<ClientConfig> | undefined;
  return {
    env,
    cwd: process.cwd(),
    version: VTR_VERSION,
    program: process.argv[1] ?? '',
    isTerminal: process.stdout.isTTY,
    out: (data) => void process.stdout.write(data),
    say: (message) => void process.stderr.write(`vtr: ${sanitize(message).text}\n`),
    readInput: async () => readFileSync(0),
    config: () => {
      config ??= readClientConfig({ env });
      return config;
    },
  };
}

/** `vtr ls | head` ends with head, without a word. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

runCommand(process.argv.slice(2), contextOfProcess()).then((status) => {
  process.exitCode = status;
});
