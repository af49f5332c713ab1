import { type McpConfig, ownSocket, readMcpConfig } from '#config';
import { defaultSize, maxSide, VtrError } from '#model';
import { duration, type FlagValues, oneOf, text, toggle, wholeNumber } from '../flags.ts';
import { startDaemon } from '../start-daemon.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  toolset: oneOf(['terminal', 'termcp'], 'NAME', 'which tools: terminal (if not given) or termcp'),
  'strip-ansi': toggle('take escape sequences out of what termcp reads'),
  embedded: toggle('keep the sessions in this process, and end them with it'),
  rows: wholeNumber('N', 'rows of new sessions, 24 if not given', { from: 1, to: maxSide }),
  cols: wholeNumber('N', 'columns of new sessions, 80 if not given', { from: 1, to: maxSide }),
  shell: text('PROGRAM', 'what runs where no program is named; your shell if not given'),
  term: text('NAME', 'TERM of new sessions, xterm-256color if not given'),
  'scrollback-limit': wholeNumber('N', 'lines that sessions keep, with --embedded'),
  'prompt-pattern': text('REGEX', 'by which a prompt is known where the shell does not mark it'),
  'max-sessions': wholeNumber('N', 'that may run at once, 10 if not given', { from: 1 }),
  'max-wait': duration('how long one call may wait, 50s if not given'),
  'log-level': oneOf(['error', 'info'], 'LEVEL', 'what is said on stderr; error if not given'),
};

export const mcp = defineVerb({
  name: 'mcp',
  summary: 'serve terminals to an agent by the Model Context Protocol, over stdio',
  args: {},
  flags,
  rest: 'PROGRAM ARGS...',
  details: [
    'Its sessions are those of your own coordinator, which is started when the first is made: they stay when the agent goes, and vtr ls shows them. With --embedded they live in this process, at a socket of their own, and end with it.',
    'With --toolset termcp there are four tools, write_stdin, send_keys, read_output and resize_terminal, and every session runs the program after --, or your shell. Its sessions are always --embedded.',
    'Each option may be set by the environment as well: VTR_DEFAULT_ROWS, VTR_DEFAULT_COLS, VTR_DEFAULT_SHELL, VTR_TERM, VTR_SCROLLBACK_LIMIT, VTR_PROMPT_PATTERN, VTR_MAX_SESSIONS; and by server.toml under the same names in small letters and without VTR_.',
  ],
  examples: [
    { line: 'vtr mcp', about: 'what an agent is configured to start' },
    { line: 'claude mcp add terminal -- vtr mcp', about: 'configures Claude Code so' },
    { line: 'vtr mcp --embedded', about: 'with sessions that end with the agent' },
    { line: 'vtr mcp --toolset termcp -- python3', about: 'four tools on a Python' },
  ],
  async run(context, { flags: given, rest }) {
    const termcp = termcpOf(given, rest);
    const config = { ...(await readMcpConfig(context)), ...configOf(given) };
    const socket = await ownSocket(context);
    const { runMcp } = await import('#app/mcp');
    const logsAll = given['log-level'] === 'info';
    await runMcp({
      socket,
      place: context,
      version: context.version,
      embedded: given.embedded || termcp !== null,
      options: { ...optionsOf(config, given['max-wait']), termcp },
      ...(config.scrollbackLimit === undefined ? {} : { scrollbackLimit: config.scrollbackLimit }),
      startDaemon: () => startDaemon(context, socket),
      log: (level, line) => {
        if (logsAll || level === 'error') context.say(line);
      },
    });
    return undefined;
  },
});

/** @throws VtrError INVALID_ARGUMENT for a program that no tool would run */
function termcpOf(
  { toolset, shell, 'strip-ansi': stripAnsi }: FlagValues<typeof flags>,
  rest: readonly string[] | null,
) {
  const [program = shell ?? process.env['SHELL'] ?? 'sh', ...args] = rest ?? [];
  if (toolset === 'termcp') return { program, args, stripAnsi };
  if (rest === null) return null;
  throw new VtrError(
    'INVALID_ARGUMENT',
    'a program is for --toolset termcp; the others name theirs',
  );
}

function configOf(given: FlagValues<typeof flags>): McpConfig {
  const { rows, cols, shell, term } = given;
  const { 'scrollback-limit': lines, 'prompt-pattern': pattern, 'max-sessions': sessions } = given;
  return {
    ...(rows === undefined ? {} : { defaultRows: rows }),
    ...(cols === undefined ? {} : { defaultCols: cols }),
    ...(shell === undefined ? {} : { defaultShell: shell }),
    ...(term === undefined ? {} : { term }),
    ...(lines === undefined ? {} : { scrollbackLimit: lines }),
    ...(pattern === undefined ? {} : { promptPattern: pattern }),
    ...(sessions === undefined ? {} : { maxSessions: sessions }),
  };
}

const defaultMaxSessions = 10;
const defaultMaxWaitMs = 50_000;

const optionsOf = (config: McpConfig, maxWaitMs = defaultMaxWaitMs) => ({
  size: {
    cols: config.defaultCols ?? defaultSize.cols,
    rows: config.defaultRows ?? defaultSize.rows,
  },
  shell: config.defaultShell ?? null,
  term: config.term ?? 'xterm-256color',
  promptPattern: config.promptPattern ?? null,
  maxSessions: config.maxSessions ?? defaultMaxSessions,
  maxWaitMs,
});
