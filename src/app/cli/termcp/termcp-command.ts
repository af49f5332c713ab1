import { startDaemon } from '#app/client';
import { type LogLevel, logUpTo } from '#base';
import { ownSocket } from '#config';
import { defaultSize } from '#model';
import type { FlagValues } from '../arguments/flags.ts';
import { verbHelp } from '../arguments/help.ts';
import { parseArguments } from '../arguments/parse-arguments.ts';
import type { Context } from '../context.ts';
import { statusOf } from '../run-command.ts';
import { defineVerb } from '../verb.ts';
import { termcpFlags } from './termcp-flags.ts';
import { termcpOptions } from './termcp-options.ts';

export const termcpCommand = defineVerb({
  name: 'termcp',
  isCommand: true,
  summary: 'serve COMMAND in terminals to an agent by the Model Context Protocol, over stdio',
  args: {},
  flags: termcpFlags,
  rest: 'COMMAND ARGS...',
  needsRest: true,
  details: [
    'Four tools: write_stdin, send_keys, read_output, resize_terminal. Each session_id is a terminal of its own that runs COMMAND; it is made when it is first used, and ends with the agent. Flags come before COMMAND: what comes after it is its own.',
    'A session ends when nobody uses it, after 24 hours, and with more than 512 MB of memory; with more than half of the processors it is made to wait. It counts with all that it started.',
    'VTR_ENVIRONMENT=minimal gives COMMAND next to nothing of the environment. It is the same as vtr mcp --toolset termcp -- COMMAND.',
  ],
  examples: [
    { line: 'termcp bash', about: 'shells' },
    { line: 'termcp --session-timeout 30 python3 -q', about: 'Python, for longer' },
    { line: 'termcp --strip-ansi --workdir ~/src bash', about: 'without colours, somewhere else' },
  ],
  async run(context, { flags, rest }) {
    const log = logUpTo(levelOf(flags), context.say);
    const termcp = termcpOptions(context, flags, rest ?? [], log);
    const socket = await ownSocket(context);
    const { runMcp } = await import('#app/mcp');
    await runMcp({
      socket,
      user: context,
      version: context.version,
      embedded: true,
      options: {
        size: { cols: flags.cols ?? defaultSize.cols, rows: flags.rows ?? defaultSize.rows },
        ...{ shell: null, term: 'xterm-256color', promptPattern: null, scrollbackLines: null },
        ...{ idleMs: 0, maxSessions, maxWaitMs },
        termcp,
      },
      startDaemon: () => startDaemon(context, socket),
      log,
    });
    return undefined;
  },
});

/** Those of the toolset terminal; the tools here have limits of their own. */
const maxSessions = 1000;
const maxWaitMs = 50_000;

const levelOf = ({ 'log-level': level = 'info' }: FlagValues<typeof termcpFlags>): LogLevel =>
  level === 'trace' ? 'debug' : level;

/**
 * Runs `termcp` with these words.
 *
 * @returns the exit status
 */
export function runTermcp(words: readonly string[], context: Context): Promise<number> {
  return statusOf(context, async () => {
    const end = flagsEnd(words);
    const flags = words.slice(0, end);
    if (flags.includes('--version') || flags.includes('-V')) {
      context.out(`termcp ${context.version}\n`);
      return 0;
    }
    if (flags.includes('--help') || flags.includes('-h')) {
      context.out(verbHelp(termcpCommand));
      return 0;
    }
    const command = words.slice(words[end] === '--' ? end + 1 : end);
    return termcpCommand.run(context, parseArguments(termcpCommand, [...flags, '--', ...command]));
  });
}

/** Flags end where COMMAND begins: its own flags are its own. */
function flagsEnd(words: readonly string[]): number {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') && word !== '--'; word = words[at]) {
    const flag = Object.entries(termcpFlags).find(([name]) => word === `--${name}`)?.[1];
    at += flag !== undefined && flag.value !== null ? 2 : 1;
  }
  return Math.min(at, words.length);
}
