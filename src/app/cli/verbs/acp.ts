import { startDaemon } from '#app/client';
import { ownSocket, resolveSocket } from '#config';
import { VtrError } from '#model';
import { duration, oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  mcp: toggle("give the agent vtr's MCP server as well, for each of its conversations"),
  passthrough: toggle('leave terminals to the editor, where it has them'),
  embedded: toggle('keep the sessions in this process, and end them with it'),
  socket: text('PATH', 'of the coordinator; your own if not given', { completes: 'file' }),
  'output-limit': wholeNumber(
    'BYTES',
    'of output kept for the agent where it names no limit, 1 MiB if not given',
  ),
  'max-terminals': wholeNumber('N', 'that may be open at once, 128 if not given', { from: 1 }),
  'max-run': duration('how long a command may run; 24h if not given, 0s for ever'),
  keep: duration('how long a released terminal can still be looked at, 10m if not given'),
  audit: text('FILE', 'gets a line of JSON for each command', { completes: 'file' }),
  'log-level': oneOf(['error', 'info'], 'LEVEL', 'what is said on stderr; error if not given'),
};

const defaultKeepMs = 600_000;

export const acp = defineVerb({
  name: 'acp',
  summary: 'run an agent of the Agent Client Protocol, and give it terminals',
  args: {},
  flags,
  rest: 'AGENT ARGS...',
  needsRest: true,
  details: [
    'Stands between an editor and its agent, on stdin and stdout: configure the editor to start this in place of the agent. The agent is told that its client has terminals, and what it runs in them are sessions: vtr ls shows them, and anybody can look, type and search. All else passes unchanged.',
    'Where the agent shows a terminal in a tool call, the editor gets the end of its output as text, renewed as it grows, with the command to see all of it. With --passthrough an editor that has terminals keeps them.',
    'What agents run in a shell of their own and only show are sessions as well, which take no input.',
    "Ends with the editor or the agent, and ends the agent's commands then. The exit status is the agent's.",
  ],
  examples: [
    { line: 'vtr acp -- claude-code-acp', about: 'what an editor is configured to start' },
    { line: 'vtr acp --mcp -- opencode acp', about: 'for an agent with a shell of its own' },
    { line: 'vtr acp --audit ~/agent.jsonl -- kimi acp', about: 'and write down what it runs' },
  ],
  async run(context, { flags: given, rest }) {
    const [program, ...args] = rest ?? [];
    if (program === undefined) throw new VtrError('INVALID_ARGUMENT', 'give the agent after --');
    const socket =
      given.socket === undefined
        ? await ownSocket(context)
        : resolveSocket(given.socket, context.cwd);
    const { runAcp } = await import('#app/acp');
    const logsAll = given['log-level'] === 'info';
    const keepMs = given.keep ?? defaultKeepMs;
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
      },
      startDaemon: () => startDaemon(context, socket),
      log: (level, line) => {
        if (logsAll || level === 'error') context.say(line);
      },
    });
  },
});

const whereGiven = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Field in Name]?: Value };
