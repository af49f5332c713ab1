import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sanitize } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { root } from '../../../scripts/root.mjs';
import type { Context } from '../../../src/app/cli/context.ts';
import { runCommand } from '../../../src/app/cli/run-command.ts';

/** Verbs that use nothing of their process: no signals, no terminal, no stream of stdin. */
const plainVerbs = new Set([
  ...['commands', 'config', 'grep', 'idle', 'info', 'key', 'kill', 'label', 'marker', 'mouse'],
  ...[
    'install',
    'output',
    'raw',
    'read',
    'record',
    'rename',
    'resize',
    'revive',
    'rm',
    'run',
    'screen',
    'send',
  ],
  ...['spawn', 'take', 'tmux', 'wait', 'watch', 'web'],
]);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What a command reads apart from its words. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The built command, from which a daemon is started. */
  readonly program: string;
}

interface Result {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether {@link vtrHere} does the same as a process of its own. */
export function runsHere(words: readonly string[]): boolean {
  const [first = ''] = words;
  if (first === 'serve') return words.includes('--status');
  if (first === 'metrics') return !words.includes('--listen');
  if (first === 'ls') return !words.includes('--watch');
  return plainVerbs.has(first) || words.includes('--help');
}

/** The context of a command in this process. */
export function contextHere(
  around: Surroundings,
  { out, say, err = say }: Pick<Context, 'out' | 'say'> & Partial<Pick<Context, 'err'>>,
): Context {
  let config: Promise<ClientConfig> | undefined;
  return {
    ...around,
    version,
    isTerminal: false,
    columns: null,
    out,
    say,
    err,
    draw: out,
    readInput: async () => new Uint8Array(),
    flushed: async () => {},
    onReaderGone: () => {},
    config: () => {
      config ??= readClientConfig({ env: around.env });
      return config;
    },
  };
}

/** Runs `vtr` in this process: its start-up, which other tests cover, costs more than most verbs. */
export async function vtrHere(words: readonly string[], around: Surroundings): Promise<Result> {
  const stdout: Uint8Array[] = [];
  let stderr = '';
  const context = contextHere(around, {
    out: (data) => stdout.push(Buffer.from(data)),
    say: (message) => {
      stderr += `vtr: ${sanitize(message).text}\n`;
    },
    err: (text) => {
      stderr += text;
    },
  });
  const status = await runCommand(words, context);
  return { status, stdout: Buffer.concat(stdout).toString(), stderr };
}
