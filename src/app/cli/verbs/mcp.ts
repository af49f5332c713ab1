import { resolve } from 'node:path';
import { startDaemon } from '#app/client';
import { type Log, logLevels, logUpTo, parseDurationMs } from '#base';
import { type McpConfig, mcpTokenOf, ownSocket, readMcpConfig } from '#config';
import { defaultSize, maxScrollbackLines, maxSide, VtrError } from '#model';
import { duration, type FlagValues, oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { termcpFlags } from '../termcp/termcp-flags.ts';
import { termcpOptions } from '../termcp/termcp-options.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  toolset: oneOf(['terminal', 'termcp'], 'NAME', 'which tools: terminal (if not given) or termcp'),
  'strip-ansi': toggle('take escape sequences out of what termcp reads'),
  'session-timeout': termcpFlags['session-timeout'],
  'max-buffer-kb': termcpFlags['max-buffer-kb'],
  workdir: text('FOLDER', 'where the program of termcp starts', { completes: 'file' }),
  http: toggle('serve by HTTP to programs of this machine, instead of stdio'),
  port: wholeNumber('N', 'where to listen with --http; a free one if not given', { to: 65_535 }),
  'token-file': text('FILE', 'with --http: holds the token, instead of a new one', {
    completes: 'file',
  }),
  json: toggle('with --http: print where it serves as JSON'),
  embedded: toggle('keep the sessions in this process, and end them with it'),
  rows: wholeNumber('N', 'rows of new sessions, 24 if not given', { from: 1, to: maxSide }),
  cols: wholeNumber('N', 'columns of new sessions, 80 if not given', { from: 1, to: maxSide }),
  shell: text('PROGRAM', 'what runs where no program is named; your shell if not given'),
  term: text('NAME', 'TERM of new sessions, xterm-256color if not given'),
  'scrollback-limit': wholeNumber('N', 'lines that its sessions keep, 10000 if not given', {
    to: maxScrollbackLines,
  }),
  'prompt-pattern': text('REGEX', 'by which a prompt is known where the shell does not mark it'),
  'max-sessions': wholeNumber('N', 'that may run at once, 10 if not given', { from: 1 }),
  'idle-timeout': duration('ends what nobody uses for so long, 20m if not given; 0s: never'),
  'max-wait': duration('how long one call may wait, 50s if not given'),
  'log-level': oneOf(logLevels, 'LEVEL', 'what is said on stderr; error if not given'),
};

export const mcp = defineVerb({
  name: 'mcp',
  summary: 'serve terminals to an agent by the Model Context Protocol',
  args: {},
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'Its sessions are those of your own coordinator, which is started when the first is made: they stay when the agent goes, and vtr ls shows them. With --embedded they live in this process, at a socket of their own, and end with it.',
    'With --toolset termcp there are four tools, write_stdin, send_keys, read_output and resize_terminal, and every session runs the program after --, or your shell. Its sessions are always --embedded.',
    'With --http it serves any number of clients at http://127.0.0.1:PORT/mcp, which stands on stdout, until a signal ends it. Each has to give a token: the one of VTR_MCP_TOKEN or --token-file, or a new one, which is told on stderr and stands in a file beside the socket.',
    'Each option may be set by the environment as well: VTR_DEFAULT_ROWS, VTR_DEFAULT_COLS, VTR_DEFAULT_SHELL, VTR_TERM, VTR_SCROLLBACK_LIMIT, VTR_PROMPT_PATTERN, VTR_MAX_SESSIONS, VTR_IDLE_TIMEOUT, VTR_MAX_WAIT, VTR_LOG_LEVEL; and by server.toml under the same names in small letters and without VTR_.',
  ],
  examples: [
    { line: 'vtr mcp', about: 'what an agent is configured to start' },
    { line: 'claude mcp add terminal -- vtr mcp', about: 'configures Claude Code so' },
    { line: 'vtr mcp --http --port 7337', about: 'for several clients at once' },
    { line: 'vtr mcp --embedded', about: 'with sessions that end with the agent' },
    { line: 'vtr mcp --toolset termcp -- python3', about: 'four tools on a Python' },
  ],
  async run(context, { flags: given, rest }) {
    const config = { ...(await readMcpConfig(context)), ...configOf(given) };
    const log = logUpTo(config.logLevel ?? 'error', context.say);
    const termcp = termcpOf(context, given, rest, log);
    const socket = await ownSocket(context);
    const http = httpOf(context, given);
    const { runMcp } = await import('#app/mcp');
    await runMcp({
      socket,
      user: context,
      version: context.version,
      embedded: given.embedded || termcp !== null,
      options: { ...optionsOf(config, given), termcp },
      ...(http === null ? {} : { http }),
      startDaemon: () => startDaemon(context, socket),
      log,
    });
    return undefined;
  },
});

/** @throws VtrError INVALID_ARGUMENT for a program that no tool would run */
function termcpOf(
  context: Context,
  given: FlagValues<typeof flags>,
  rest: readonly string[] | null,
  log: Log,
) {
  const { toolset, shell, 'session-timeout': timeout, 'max-buffer-kb': buffer, workdir } = given;
  if (toolset === 'termcp') {
    const command = rest ?? [shell ?? context.env['SHELL'] ?? 'sh'];
    return termcpOptions(context, given, command, log);
  }
  const isGiven = [timeout, buffer, workdir].some((each) => each !== undefined);
  if (rest === null && !isGiven && !given['strip-ansi']) return null;
  throw new VtrError(
    'INVALID_ARGUMENT',
    'a program, --session-timeout, --max-buffer-kb, --strip-ansi and --workdir are for --toolset termcp',
  );
}

/** @throws VtrError INVALID_ARGUMENT for what makes no sense without --http */
function httpOf(context: Context, given: FlagValues<typeof flags>) {
  const { http, port = 0, 'token-file': tokenFile, json } = given;
  if (http) {
    const token = mcpTokenOf(context);
    return {
      port,
      json,
      ...(token === undefined ? {} : { token }),
      ...(tokenFile === undefined ? {} : { tokenFile: resolve(context.cwd, tokenFile) }),
      out: context.out,
      say: context.say,
    };
  }
  if (given.port === undefined && tokenFile === undefined && !json) return null;
  throw new VtrError('INVALID_ARGUMENT', '--port, --token-file and --json are for --http');
}

function configOf(given: FlagValues<typeof flags>): McpConfig {
  const { rows, cols, shell, term } = given;
  const { 'log-level': logLevel } = given;
  const { 'scrollback-limit': lines, 'prompt-pattern': pattern, 'max-sessions': sessions } = given;
  return {
    ...(rows === undefined ? {} : { defaultRows: rows }),
    ...(cols === undefined ? {} : { defaultCols: cols }),
    ...(shell === undefined ? {} : { defaultShell: shell }),
    ...(term === undefined ? {} : { term }),
    ...(lines === undefined ? {} : { scrollbackLimit: lines }),
    ...(pattern === undefined ? {} : { promptPattern: pattern }),
    ...(sessions === undefined ? {} : { maxSessions: sessions }),
    ...(logLevel === undefined ? {} : { logLevel }),
  };
}

const defaultMaxSessions = 10;
const defaultIdle = '20m';
const defaultMaxWait = '50s';

const msOf = (text: string): number => parseDurationMs(text) ?? 0;

const optionsOf = (config: McpConfig, given: FlagValues<typeof flags>) => ({
  size: {
    cols: config.defaultCols ?? defaultSize.cols,
    rows: config.defaultRows ?? defaultSize.rows,
  },
  shell: config.defaultShell ?? null,
  term: config.term ?? 'xterm-256color',
  promptPattern: config.promptPattern ?? null,
  maxSessions: config.maxSessions ?? defaultMaxSessions,
  scrollbackLines: config.scrollbackLimit ?? null,
  idleMs: given['idle-timeout'] ?? msOf(config.idleTimeout ?? defaultIdle),
  maxWaitMs: given['max-wait'] ?? msOf(config.maxWait ?? defaultMaxWait),
});
