import { basename, resolve } from 'node:path';
import { type MayStart, reachDaemon } from '#app/client';
import { defined, type Log, logUpTo } from '#base';
import {
  checkNotAddress,
  isDuration,
  isOneOf,
  isWholeNumber,
  type McpConfig,
  type McpFlagValues,
  type McpRow,
  mcpRows,
  mcpTokenOf,
  ownLocalSocket,
  ownSocket,
  readMcpConfig,
  resolvePlace,
} from '#config';
import { isAddress, isSelector, VtrError } from '#model';
import { isExecutable } from '#trust';
import {
  duration,
  type Flag,
  type FlagValues,
  oneOf,
  text,
  toggle,
  wholeNumber,
} from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import { agentEnvironment } from '../caller.ts';
import type { Context } from '../context.ts';
import { oneCoordinator, tellUnused, toldSocket } from '../coordinators/known-coordinators.ts';
import { termcpFlags, termcpOptions } from '../termcp/termcp-options.ts';
import { defineVerb } from '../verb.ts';

const withTermcp = <T>(flag: Flag<T>): Flag<T> => ({
  ...flag,
  about: `with termcp, ${flag.about}`,
});

/** A flag for each key of `server.toml` that MCP servers read. */
const optionFlags = Object.fromEntries(mcpRows.map((row) => [row.mcp.flag, optionFlag(row)])) as {
  readonly [Name in keyof McpFlagValues]: Flag<McpFlagValues[Name]>;
};

function optionFlag({ mcp: { placeholder }, about, accepted }: McpRow): Flag<unknown> {
  if (isWholeNumber(accepted)) {
    return wholeNumber(placeholder, about, { from: accepted.from, to: accepted.to });
  }
  if (isOneOf(accepted)) return oneOf(accepted.words, placeholder, about);
  return isDuration(accepted) ? duration(about) : text(placeholder, about);
}

const mcpFlags = {
  ...reach,
  toolset: oneOf(['terminal', 'termcp'], 'NAME', 'tools to serve: terminal (default) or termcp'),
  'strip-ansi': toggle('with termcp, remove escape sequences from the output'),
  'session-timeout': withTermcp(termcpFlags['session-timeout']),
  'max-buffer-kb': withTermcp(termcpFlags['max-buffer-kb']),
  workdir: text('DIR', 'with termcp, working directory of the program', { completes: 'file' }),
  http: toggle('serve over HTTP on this machine, not over stdio'),
  port: wholeNumber('N', 'with --http, listen at port N (default: a free one)', { to: 65_535 }),
  'token-file': text('FILE', 'with --http, read the token from FILE (default: a new token)', {
    completes: 'file',
  }),
  json: toggle('with --http, print the URL as JSON'),
  embedded: toggle('run the sessions in this process; they end with it'),
  ...optionFlags,
  redact: toggle('replace known secrets in all answers with •, and tell how many'),
};

export const mcp = defineVerb({
  name: 'mcp',
  summary: 'serve terminals to an agent over the Model Context Protocol',
  args: {},
  flags: mcpFlags,
  rest: 'PROGRAM ARGS...',
  details: [
    'The sessions run on your own coordinator, which is started with the first session. They stay when the agent exits, and vtr ls lists them. With --embedded, they run in this process, at a separate socket, and end with it.',
    '--toolset termcp serves four tools: write_stdin, send_keys, read_output and resize_terminal. Every session runs the program after --, or your shell. --toolset termcp implies --embedded.',
    '--http serves any number of clients at http://127.0.0.1:PORT/mcp until a signal arrives. The URL is printed to stdout. Clients must send a token: that of VTR_MCP_TOKEN or --token-file, or a new one, which is printed to stderr and written to a file next to the socket.',
    `These environment variables set the same options: ${mcpRows.map(({ variable }) => variable).join(', ')}. So do keys of server.toml with these names in lower case and without VTR_, such as default_rows.`,
  ],
  examples: [
    { line: 'vtr mcp', about: 'command to configure in the agent' },
    { line: 'claude mcp add terminal -- vtr mcp', about: 'configure Claude Code' },
    { line: 'vtr mcp --coordinator ssh://gpu1', about: 'serve terminals of another machine' },
    { line: 'vtr mcp --http --port 7337', about: 'serve several clients' },
    { line: 'vtr mcp --embedded', about: 'end the sessions with the agent' },
    { line: 'vtr mcp --toolset termcp -- python3', about: 'serve Python with four tools' },
  ],
  async run(context, input) {
    const run = await mcpRunOf(context, input);
    const { runMcp } = await import('#app/mcp');
    await runMcp(run);
    return undefined;
  },
});

interface Given {
  readonly flags: FlagValues<typeof mcpFlags>;
  readonly rest: readonly string[] | null;
}

/** The server that these arguments, the environment and the configuration describe. */
export async function mcpRunOf(caller: Context, { flags, rest }: Given) {
  const token = mcpTokenOf(caller);
  // The programs that this process starts inherit its environment; a daemon among them outlives it.
  const { VTR_MCP_TOKEN: _token, ...env } = caller.env;
  delete process.env['VTR_MCP_TOKEN'];
  const context = { ...caller, env };
  const config = { ...(await readMcpConfig(context)), ...optionsOfFlags(flags) };
  const log = logUpTo(config.logLevel, context.say);
  const termcp = termcpOf(context, flags, rest, log);
  const embedded = flags.embedded || termcp !== null;
  tellUnused(context);
  const socket = await mcpPlaceOf(context, embedded, flags.coordinator);
  const http = httpOf(context, flags, token);
  const isElsewhere = isAddress(socket);
  return {
    socket,
    localSocket: await ownLocalSocket(context),
    user: context,
    version: context.version,
    embedded,
    options: {
      ...optionsOf(config),
      cwd: context.cwd,
      isElsewhere,
      termcp,
      environment: await agentEnvironment(context, socket),
    },
    ...defined({ http }),
    reach: (mayStart: MayStart) => reachDaemon(context, socket, mayStart),
    log,
  };
}

/** @throws VtrError INVALID_ARGUMENT */
async function mcpPlaceOf(context: Context, embedded: boolean, named: string | undefined) {
  if (named === undefined) return embedded ? ownLocalSocket(context) : ownSocket(context);
  if (embedded) {
    const message = '--coordinator and --embedded or termcp cannot be used together';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return (await oneCoordinator(context, named)).socket;
}

/** @throws VtrError INVALID_ARGUMENT for options of termcp without `--toolset termcp` */
function termcpOf(
  context: Context,
  values: FlagValues<typeof mcpFlags>,
  rest: readonly string[] | null,
  log: Log,
) {
  const { toolset, shell, 'session-timeout': timeout, 'max-buffer-kb': buffer, workdir } = values;
  if (toolset === 'termcp') {
    if (values.redact) {
      const message = '--redact needs --toolset terminal: termcp returns output in pieces';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const command = rest ?? [shell ?? context.env['SHELL'] ?? 'sh'];
    return termcpOptions(context, values, command, log);
  }
  const isGiven = [timeout, buffer, workdir].some((each) => each !== undefined);
  if (rest === null && !isGiven && !values['strip-ansi']) return null;
  throw new VtrError(
    'INVALID_ARGUMENT',
    'a program, --session-timeout, --max-buffer-kb, --strip-ansi and --workdir need --toolset termcp',
  );
}

/** @throws VtrError INVALID_ARGUMENT for options of HTTP without `--http` */
function httpOf(context: Context, values: FlagValues<typeof mcpFlags>, token: string | undefined) {
  const { http, port = 0, 'token-file': tokenFile, json } = values;
  if (http) {
    return {
      port,
      json,
      ...defined({ token }),
      ...(tokenFile === undefined ? {} : { tokenFile: resolve(context.cwd, tokenFile) }),
      out: context.out,
      say: context.say,
    };
  }
  if (values.port === undefined && tokenFile === undefined && !json) return null;
  throw new VtrError('INVALID_ARGUMENT', '--port, --token-file and --json need --http');
}

function optionsOfFlags(flags: FlagValues<typeof mcpFlags>): Partial<McpConfig> {
  const values: Readonly<Record<string, unknown>> = flags;
  const set = mcpRows.filter(({ mcp }) => values[mcp.flag] !== undefined);
  return {
    ...Object.fromEntries(set.map(({ name, mcp }) => [name, values[mcp.flag]])),
    ...defined({ redactReads: flags.redact || undefined }),
  };
}

const optionsOf = (config: McpConfig) => ({
  size: { cols: config.defaultCols, rows: config.defaultRows },
  shell: config.defaultShell,
  term: config.term,
  promptPattern: config.promptPattern,
  maxSessions: config.maxSessions,
  answers: config.answers,
  scrollbackLines: config.scrollbackLimit,
  idleMs: config.idleTimeoutMs,
  redact: config.redactReads ? (true as const) : null,
  maxWaitMs: config.maxWaitMs,
});

const acpFlags = {
  mcp: toggle("also provide vtr's MCP server to the agent, in each conversation"),
  passthrough: toggle("use the editor's terminals if it has them"),
  shell: toggle(
    'run the commands that the agent runs in its own shell in sessions, if it uses SHELL',
  ),
  'shell-input': toggle('as --shell; commands without input read their terminal'),
  'no-shell': toggle('not as --shell, whatever config.toml says'),
  embedded: toggle('run the sessions in this process; they end with it'),
  socket: text('PATH', 'socket or address of the coordinator (default: your own)', {
    completes: 'file',
  }),
  'output-limit': wholeNumber(
    'BYTES',
    'output kept per terminal unless the agent sets a limit (default 1 MiB)',
  ),
  'max-terminals': wholeNumber('N', 'limit of open terminals (default 128)', { from: 1 }),
  'max-run': duration('time limit of a command (default 24h, 0s: none)'),
  keep: duration('keep a released terminal for DURATION (default 10m)'),
  audit: text('FILE', 'append a line of JSON to FILE for each command', { completes: 'file' }),
  'log-level': oneOf(
    ['error', 'info'],
    'LEVEL',
    'messages on stderr: error or info (default error)',
  ),
};

const defaultKeepMs = 600_000;

export const acp = defineVerb({
  name: 'acp',
  summary: 'run an Agent Client Protocol agent and provide its terminals',
  args: {},
  flags: acpFlags,
  rest: 'AGENT ARGS...',
  needsRest: true,
  details: [
    'Relays messages between an editor and its agent on stdin and stdout: configure the editor to start this command instead of the agent. The agent sees a client with terminals. Each terminal is a session: vtr ls lists it, and every client can read, type and search. All other messages pass unchanged.',
    'If the agent shows a terminal in a tool call, the editor receives the last lines of its output as text, updated as they change, and the command that prints all of it. With --passthrough, an editor with terminals runs them itself.',
    'Commands that an agent runs in its own shell and only displays are read-only sessions. With --shell, those of an agent that takes its shell from SHELL run in sessions: they can be typed into. The agent gets output, exit status and signals as before.',
    "Exits with the editor or the agent, and ends the agent's commands. The exit status is that of the agent.",
  ],
  examples: [
    { line: 'vtr acp -- claude-code-acp', about: 'command to configure in the editor' },
    { line: 'vtr acp --mcp -- opencode acp', about: 'run an agent that has its own shell' },
    { line: 'vtr acp --audit ~/agent.jsonl -- kimi acp', about: 'record the commands' },
  ],
  async run(context, { flags, rest }) {
    const [program, ...args] = rest ?? [];
    if (program === undefined) throw new VtrError('INVALID_ARGUMENT', 'missing AGENT after --');
    const socket = await acpPlaceOf(context, flags.socket);
    checkIsHere(flags.embedded, socket);
    const { runAcp } = await import('#app/acp');
    const logsAll = flags['log-level'] === 'info';
    const keepMs = flags.keep ?? defaultKeepMs;
    const environment = await agentEnvironment(context, socket);
    return runAcp({
      program,
      args,
      socket,
      keepMs,
      user: context,
      version: context.version,
      embedded: flags.embedded,
      passthrough: flags.passthrough,
      shell: await shellChoiceOf(context, flags, socket),
      mcpServer: flags.mcp
        ? (of) => ({
            name: 'vtr',
            command: process.execPath,
            args: [context.program, 'mcp'],
            env: [{ name: 'VTR_SOCKET', value: of }],
          })
        : null,
      terminals: {
        keepReleasedMs: keepMs,
        ...whereGiven('outputBytes', flags['output-limit']),
        ...whereGiven('maxTerminals', flags['max-terminals']),
        ...whereGiven('maxRunMs', flags['max-run']),
        ...whereGiven('auditFile', flags.audit),
        ...defined({ environment }),
      },
      reach: (mayStart) => reachDaemon(context, socket, mayStart),
      log: (level, line) => {
        if (logsAll || level === 'error') context.say(line);
      },
    });
  },
});

/** @throws VtrError INVALID_ARGUMENT, UNAVAILABLE for a selector that selects none */
async function acpPlaceOf(context: Context, text: string | undefined): Promise<string> {
  if (text === undefined) return toldSocket(context);
  const place = resolvePlace(text, context.cwd);
  return isSelector(place) ? (await oneCoordinator(context, place)).socket : place;
}

/** Shells that agents take from SHELL. */
const agentShells = ['bash', 'zsh', 'sh', 'dash', 'ksh'];

/** @throws VtrError INVALID_ARGUMENT */
async function shellChoiceOf(context: Context, flags: FlagValues<typeof acpFlags>, socket: string) {
  const { shell, 'shell-input': readsTerminal, 'no-shell': isOff } = flags;
  const isAsked = shell || readsTerminal;
  if (isAsked && isOff) {
    throw new VtrError('INVALID_ARGUMENT', '--no-shell and --shell cannot be used together');
  }
  if (isAsked) {
    checkNotAddress(socket, '--shell needs the path of a socket');
    return { shell: agentShellOf(context), readsTerminal };
  }
  const { shell: configured } = (await context.config()).acp;
  if (isOff || configured === 'off') return null;
  const problem = isAddress(socket) ? 'at an address' : onlyLinux;
  if (problem !== null) {
    context.say(`shell of [acp] in config.toml has no effect ${problem}`);
    return null;
  }
  return { shell: agentShellOf(context), readsTerminal: configured === 'input' };
}

const onlyLinux = process.platform === 'linux' ? null : 'on this system';

/** The shell that runs an agent's commands. */
function agentShellOf({ env }: Context): string {
  const own = env['SHELL'] ?? '';
  const shells = [
    ...(agentShells.includes(basename(own)) ? [own] : []),
    '/bin/bash',
    '/usr/bin/bash',
  ];
  return shells.find(isExecutable) ?? '/bin/sh';
}

/** The socket of sessions in this process is made next to it. @throws VtrError INVALID_ARGUMENT */
function checkIsHere(embedded: boolean, place: string): void {
  if (embedded) checkNotAddress(place, '--embedded needs the path of a socket');
}

const whereGiven = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Field in Name]?: Value };
