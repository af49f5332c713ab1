import { reachDaemon } from '#app/client';
import { checkNotAddress, resolvePlace } from '#config';
import { isSelector, VtrError } from '#model';
import { duration, oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { agentEnvironment } from '../coordinators/caller.ts';
import { oneCoordinator, toldSocket } from '../coordinators/known-coordinators.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  mcp: toggle("also provide vtr's MCP server to the agent, in each conversation"),
  passthrough: toggle("use the editor's terminals if it has them"),
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
  flags,
  rest: 'AGENT ARGS...',
  needsRest: true,
  details: [
    'Relays messages between an editor and its agent on stdin and stdout: configure the editor to start this command instead of the agent. The agent sees a client with terminals. Each terminal is a session: vtr ls lists it, and every client can read, type and search. All other messages pass unchanged.',
    'If the agent shows a terminal in a tool call, the editor receives the last lines of its output as text, updated as they change, and the command that prints all of it. With --passthrough, an editor with terminals runs them itself.',
    'Commands that an agent runs in its own shell and only displays are read-only sessions.',
    "Exits with the editor or the agent, and ends the agent's commands. The exit status is that of the agent.",
  ],
  examples: [
    { line: 'vtr acp -- claude-code-acp', about: 'command to configure in the editor' },
    { line: 'vtr acp --mcp -- opencode acp', about: 'run an agent that has its own shell' },
    { line: 'vtr acp --audit ~/agent.jsonl -- kimi acp', about: 'record the commands' },
  ],
  async run(context, { flags: given, rest }) {
    const [program, ...args] = rest ?? [];
    if (program === undefined) throw new VtrError('INVALID_ARGUMENT', 'missing AGENT after --');
    const socket = await placeOf(context, given.socket);
    checkIsHere(given.embedded, socket);
    const { runAcp } = await import('#app/acp');
    const logsAll = given['log-level'] === 'info';
    const keepMs = given.keep ?? defaultKeepMs;
    const environment = await agentEnvironment(context, socket);
    return runAcp({
      ...{ program, args, socket, keepMs },
      ...{ user: context, version: context.version },
      embedded: given.embedded,
      passthrough: given.passthrough,
      mcpServer: given.mcp
        ? (of) => ({
            name: 'vtr',
            command: process.execPath,
            args: [context.program, 'mcp'],
            env: [{ name: 'VTR_SOCKET', value: of }],
          })
        : null,
      terminals: {
        keepReleasedMs: keepMs,
        ...whereGiven('outputBytes', given['output-limit']),
        ...whereGiven('maxTerminals', given['max-terminals']),
        ...whereGiven('maxRunMs', given['max-run']),
        ...whereGiven('auditFile', given.audit),
        ...(environment === null ? {} : { environment }),
      },
      reach: (mayStart) => reachDaemon(context, socket, mayStart),
      log: (level, line) => {
        if (logsAll || level === 'error') context.say(line);
      },
    });
  },
});

/** @throws VtrError INVALID_ARGUMENT, UNAVAILABLE for a selector that selects none */
async function placeOf(context: Context, given: string | undefined): Promise<string> {
  if (given === undefined) return toldSocket(context);
  const place = resolvePlace(given, context.cwd);
  return isSelector(place) ? (await oneCoordinator(context, place)).socket : place;
}

/** The socket of sessions in this process is made next to it. @throws VtrError INVALID_ARGUMENT */
function checkIsHere(embedded: boolean, place: string): void {
  if (embedded) checkNotAddress(place, '--embedded needs the path of a socket');
}

const whereGiven = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Field in Name]?: Value };
