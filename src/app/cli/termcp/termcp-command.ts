import { reachDaemon } from '#app/client';
import { type LogLevel, logUpTo } from '#base';
import { ownLocalSocket } from '#config';
import { defaultSize } from '#model';
import type { FlagValues } from '../arguments/flags.ts';
import { verbHelp } from '../arguments/help.ts';
import { parseArguments } from '../arguments/parse-arguments.ts';
import { agentEnvironment } from '../caller.ts';
import type { Context } from '../context.ts';
import { statusOf } from '../exit-codes.ts';
import { defineVerb } from '../verb.ts';
import { termcpFlags, termcpOptions } from './termcp-options.ts';

export const termcpCommand = defineVerb({
  name: 'termcp',
  isCommand: true,
  summary: 'serve COMMAND in terminals to an agent over the Model Context Protocol (stdio)',
  args: {},
  flags: termcpFlags,
  rest: 'COMMAND ARGS...',
  needsRest: true,
  details: [
    'Serves four tools: write_stdin, send_keys, read_output and resize_terminal. Each session_id is a separate terminal that runs COMMAND; it is created on first use and ends with the agent. Flags come before COMMAND; all words after it are its arguments.',
    'A session ends when it is unused, after 24 hours, or when it uses more than 512 MiB of memory. Above 50% of all processors it is throttled. These limits cover the program and its descendants.',
    'With VTR_ENVIRONMENT=minimal, COMMAND inherits only a minimal environment. termcp COMMAND is the same as vtr mcp --toolset termcp -- COMMAND.',
  ],
  examples: [
    { line: 'termcp bash', about: 'serve shells' },
    {
      line: 'termcp --session-timeout 30 python3 -q',
      about: 'serve Python, with a longer timeout',
    },
    { line: 'termcp --strip-ansi --workdir ~/src bash', about: 'remove colours, run in ~/src' },
  ],
  async run(context, { flags, rest }) {
    const log = logUpTo(levelOf(flags), context.say);
    const termcp = termcpOptions(context, flags, rest ?? [], log);
    const socket = await ownLocalSocket(context);
    const { runMcp } = await import('#app/mcp');
    await runMcp({
      socket,
      localSocket: socket,
      user: context,
      version: context.version,
      embedded: true,
      options: {
        size: { cols: flags.cols ?? defaultSize.cols, rows: flags.rows ?? defaultSize.rows },
        cwd: context.cwd,
        shell: null,
        term: 'xterm-256color',
        promptPattern: null,
        scrollbackLines: null,
        idleMs: 0,
        maxSessions,
        maxWaitMs,
        answers: 'full' as const,
        redact: null,
        isElsewhere: false,
        environment: await agentEnvironment(context, socket),
        termcp,
      },
      reach: (mayStart) => reachDaemon(context, socket, mayStart),
      log,
    });
    return undefined;
  },
});

/** Limits of the toolset terminal; the tools of termcp have their own. */
const maxSessions = 1000;
const maxWaitMs = 50_000;

const levelOf = ({ 'log-level': level = 'info' }: FlagValues<typeof termcpFlags>): LogLevel =>
  level === 'trace' ? 'debug' : level;

/**
 * Runs `termcp` with these arguments.
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

/** Returns the index of COMMAND; later flags are arguments of COMMAND. */
function flagsEnd(words: readonly string[]): number {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') && word !== '--'; word = words[at]) {
    const flag = Object.entries(termcpFlags).find(([name]) => word === `--${name}`)?.[1];
    at += flag !== undefined && flag.value !== null ? 2 : 1;
  }
  return Math.min(at, words.length);
}
