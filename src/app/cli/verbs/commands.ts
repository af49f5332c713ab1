import { defined, durationText } from '#base';
import { type AgentCommand, type CommandList, type CommandRecord, counted } from '#model';
import { toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { connectionTo } from '../coordinators/known-coordinators.ts';
import {
  printJson,
  printPlain,
  redactedJson,
  tellRedacted,
  wantsJson,
} from '../output/printing.ts';
import {
  agentCommandJson,
  agentStatusText,
  commandJson,
  statusText,
} from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

export const commands = defineVerb({
  name: 'commands',
  summary: 'list the commands that the shell or the coding agents of a session ran',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    last: wholeNumber('N', 'list only the newest N commands, of the shell and of agents each', {
      from: 1,
      to: 1000,
    }),
    follow: toggle('print each command as it begins and as it ends, until the program exits', {
      short: 'f',
    }),
  },
  details: [
    "The list comes from the marks that bash, zsh and fish send in a vtr session. The last command may still be running. A command is unverified if its marks lack the proof of vtr's shell integration: any output can contain them. A program cannot read that proof, except from the memory of the shell. vtr output prints the output of a command.",
    'The commands that a coding agent runs itself are in the list if its hooks report them: vtr agents install adds the hooks. Any program can report its commands with vtr report --command. The newest 200 of a session are kept, with at most 65,536 characters together. They have no number, because vtr output cannot print their output. BY names the agent, and BEGAN is how long ago it began the command.',
    '--follow begins with those that run; with --last N, with the newest N. It has a line when a command begins and one when it ends, without a head; agents have their name in place of NUMBER. Each line of JSON has an "event": "command" with the fields of --json, "agent_command", or at the end "exit". The daemon sends the changes; if it is replaced, none is missed while the command is kept.',
    [
      ['0 and other numbers', 'the exit status'],
      ['ok, failed', 'as the agent says, without an exit status'],
      ['running', 'the command has not ended'],
      ['asks', 'the agent has begun it and asks a person: mostly, whether it may run the command'],
      ['unknown', 'how it ended was not reported; it may not have run'],
    ],
  ],
  examples: [
    { line: 'vtr commands shell', about: 'print a table' },
    { line: 'vtr commands claude', about: 'see what an agent ran' },
    { line: 'vtr commands shell --last 1 --json', about: 'print the newest as JSON' },
    { line: 'vtr commands shell --follow', about: 'watch what is run' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session, shown } = await findSession(context, args.session, flags);
    const { last } = flags;
    if (flags.follow) {
      const { followCommands } = await import('../watching/follow-commands.ts');
      const { socket } = coordinator;
      return followCommands(context, {
        coordinator: await connectionTo(context, { socket }),
        session,
        shown,
        request: redactOf(flags),
        last,
        asJson: await wantsJson(context, flags),
      });
    }
    const list = await coordinator.commands(session, {
      ...defined({ last }),
      ...redactOf(flags),
    });
    if (await wantsJson(context, flags)) printJson(context, listJson(session, list));
    else {
      await printList(context, shown, list, last);
      tellRedacted(context, list);
    }
    return undefined;
  },
});

async function printList(
  context: Context,
  shown: string,
  list: CommandList,
  last: number | undefined,
): Promise<void> {
  const { commands: all, agentCommands, dropped, integration, integrationReason: reason } = list;
  if (integration === 'none' && agentCommands === undefined) {
    const why = reason === undefined ? '' : `: ${reason}`;
    context.say(`session ${shown}: no commands; the shell does not mark them${why}`);
    return;
  }
  if (dropped > 0) context.say(`omitted: ${counted(dropped, 'older command')}, no longer kept`);
  const heads = ['NUMBER', 'STATUS', 'TIME', 'DIRECTORY', 'LINE'];
  if (agentCommands === undefined) {
    printPlain(context, await table(heads, all.map(rowOf)));
    return;
  }
  const older = (agentCommands[0]?.number ?? 1) - 1;
  if (older > 0 && last === undefined)
    context.say(`omitted: ${counted(older, 'older command')} of agents, no longer kept`);
  const withAgents = heads.toSpliced(1, 0, 'BY', 'BEGAN');
  printPlain(context, await table(withAgents, rowsOfBoth(all, agentCommands)));
}

/** The rows of all commands in the order in which they began. */
function rowsOfBoth(shell: readonly CommandRecord[], agents: readonly AgentCommand[]): string[][] {
  const began = (atMs: number | null) => (atMs === null ? '' : durationText(Date.now() - atMs));
  const rows = [
    ...shell.map((each) => ({
      atMs: each.startedAtMs,
      row: rowOf(each).toSpliced(1, 0, 'shell', began(each.startedAtMs)),
    })),
    ...agents.map((each) => ({
      atMs: each.startedAtMs ?? each.endedAtMs ?? 0,
      row: ['', each.agent ?? 'report', began(each.startedAtMs), ...agentRowOf(each)],
    })),
  ];
  return rows.toSorted((one, other) => one.atMs - other.atMs).map(({ row }) => row);
}

const agentRowOf = (command: AgentCommand): string[] => {
  const { durationMs, cwd, line } = command;
  return [
    agentStatusText(command),
    durationMs === null ? '' : durationText(durationMs),
    cwd ?? '',
    oneLine(line),
  ];
};

const rowOf = (command: CommandRecord): string[] => {
  const { number, durationMs, cwd, line } = command;
  return [
    String(number),
    statusText(command),
    durationText(durationMs),
    cwd ?? '',
    oneLine(line ?? ''),
  ];
};

/** One row per command, even if it has several lines. */
const oneLine = (line: string): string => line.replaceAll('\n', '⏎');

const listJson = (session: string, { commands: all, ...list }: CommandList) => ({
  name: session,
  integration: list.integration,
  integration_reason: list.integrationReason ?? null,
  dropped: list.dropped,
  commands: all.map(commandJson),
  agent_commands: (list.agentCommands ?? []).map(agentCommandJson),
  ...redactedJson(list),
});
