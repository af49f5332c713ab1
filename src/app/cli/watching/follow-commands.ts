import { durationText } from '#base';
import {
  type AgentCommand,
  type AgentCommandEvent,
  type CommandEvent,
  type CommandList,
  type CommandRecord,
  type Coordinator,
  commandAtStart,
  exitClause,
  type SubscribeRequest,
} from '#model';
import type { Context } from '../context.ts';
import { jsonLine, printPlain } from '../output/printing.ts';
import {
  agentCommandJson,
  agentStatusText,
  commandJson,
  exitJson,
  statusText,
} from '../output/session-json.ts';

type Told = Omit<CommandEvent, 'revision' | 'atMs'> | Omit<AgentCommandEvent, 'revision' | 'atMs'>;

export interface FollowedCommands {
  readonly coordinator: Coordinator;
  readonly session: string;
  /** The session as in the command. */
  readonly shown: string;
  readonly request: Pick<SubscribeRequest, 'redact'>;
  /** How many of the newest commands are printed first, of the shell and of agents each. Default: those that run. */
  readonly last: number | undefined;
  readonly asJson: boolean;
}

/** Prints the commands of a session as they begin and end, until its program exits. */
export async function followCommands(
  context: Context,
  options: FollowedCommands,
): Promise<undefined> {
  const { coordinator, session, shown, request, last, asJson } = options;
  const printed = new Printed();
  const print = (event: Told) => {
    if (!printed.add(event)) return;
    if (asJson) context.out(`${jsonLine(eventJson(session, event))}\n`);
    else printPlain(context, lineOf(event));
  };
  const subscription = await coordinator.subscribe(session, { ...request, commands: {} });
  let isFirst = true;
  try {
    for await (const event of subscription) {
      if (event.type === 'commands') {
        // One that began and ended while the coordinator was replaced is in the list only as ended.
        const { old, news } = isFirst
          ? divided(event.list, last)
          : { old: [], news: eventsOf(withStarts(event.list)) };
        for (const each of old) printed.add(each);
        for (const each of news) print(each);
        isFirst = false;
      } else if (event.type === 'command' || event.type === 'agentCommand') print(event);
      else if (event.type === 'exit') {
        if (asJson)
          context.out(`${jsonLine({ event: 'exit', session, ...exitJson(event.status) })}\n`);
        else context.say(`session ${shown}: the program ${exitClause(event.status)}`);
      }
      await context.flushed();
    }
  } finally {
    await coordinator.close();
  }
  return undefined;
}

const withStarts = (list: CommandList): CommandList => ({
  ...list,
  commands: list.commands.flatMap((each) =>
    each.state === 'ended' ? [commandAtStart(each), each] : [each],
  ),
});

/** Divides the commands that are first into those that are not printed and the others. */
function divided(list: CommandList, last: number | undefined): Record<'old' | 'news', Told[]> {
  const { commands, agentCommands = [] } = list;
  if (last === undefined) {
    const all = eventsOf(list);
    return { old: all.filter((each) => !isOpen(each)), news: all.filter(isOpen) };
  }
  const parts = (from: number, to?: number) =>
    eventsOf({
      ...list,
      commands: commands.slice(from, to),
      agentCommands: agentCommands.slice(from, to),
    });
  return { old: parts(0, -last), news: parts(-last) };
}

const isOpen = ({ type, command }: Told): boolean =>
  type === 'command' ? command.state === 'running' : ['running', 'asks'].includes(command.status);

/** What was printed: a list that comes again, after the coordinator was replaced, has it, too. */
class Printed {
  #newest: CommandRecord | null = null;
  readonly #agents = new Map<number, AgentCommand['status']>();

  /** Returns whether an event is new. */
  add({ type, command }: Told): boolean {
    if (type === 'agentCommand') {
      if (this.#agents.get(command.number) === command.status) return false;
      this.#agents.set(command.number, command.status);
      return true;
    }
    const before = this.#newest;
    const isSameCount = before !== null && before.unverified === command.unverified;
    const isOld = isSameCount && command.number < before.number;
    const isSame = isSameCount && command.number === before.number;
    if (isOld || (isSame && (before.state === 'ended' || command.state === 'running')))
      return false;
    this.#newest = command;
    return true;
  }
}

const eventsOf = ({ commands, agentCommands = [] }: CommandList): Told[] => [
  ...commands.map((command) => ({ type: 'command' as const, command })),
  ...agentCommands.map((command) => ({ type: 'agentCommand' as const, command })),
];

const eventJson = (name: string, event: Told) =>
  event.type === 'command'
    ? { event: 'command', session: name, ...commandJson(event.command) }
    : { event: 'agent_command', session: name, ...agentCommandJson(event.command) };

/** Columns have a fixed width: the widest cell is not known yet. */
function lineOf(event: Told): string {
  const { command } = event;
  const isShell = event.type === 'command';
  const status = isShell ? statusText(event.command) : agentStatusText(event.command);
  const { durationMs, cwd } = command;
  const hasTime = durationMs !== null && !['running', 'asks'].includes(status.split(',')[0] ?? '');
  const cells = [
    isShell ? String(command.number) : (event.command.agent ?? 'report'),
    status,
    hasTime ? durationText(durationMs) : '',
    cwd ?? '',
  ];
  const widths = [7, 9, 6, 24];
  const padded = cells.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return `${[...padded, (command.line ?? '').replaceAll('\n', '⏎')].join('  ')}\n`;
}
