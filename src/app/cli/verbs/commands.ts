import { defined, durationText } from '#base';
import { type CommandList, type CommandRecord, counted } from '#model';
import { wholeNumber } from '../arguments/flags.ts';
import { output, reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  printJson,
  printPlain,
  redactedJson,
  tellRedacted,
  wantsJson,
} from '../output/printing.ts';
import { commandJson } from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

export const commands = defineVerb({
  name: 'commands',
  summary: 'list the commands that the shell of a session ran',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    last: wholeNumber('N', 'list only the newest N commands', { from: 1, to: 1000 }),
  },
  details: [
    "The list comes from the marks that bash, zsh and fish send in a vtr session. The last command may still be running. A command is unverified if its marks lack the proof of vtr's shell integration: any output can contain them. A program cannot read that proof, except from the memory of the shell. vtr output prints the output of a command.",
  ],
  examples: [
    { line: 'vtr commands shell', about: 'print a table' },
    { line: 'vtr commands shell --last 1 --json', about: 'print the newest as JSON' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session, shown } = await findSession(context, args.session, flags);
    const { last } = flags;
    const list = await coordinator.commands(session, {
      ...defined({ last }),
      ...redactOf(flags),
    });
    if (await wantsJson(context, flags)) printJson(context, listJson(session, list));
    else {
      await printList(context, shown, list);
      tellRedacted(context, list);
    }
    return undefined;
  },
});

async function printList(context: Context, shown: string, list: CommandList): Promise<void> {
  const { commands: all, dropped, integration, integrationReason: reason } = list;
  if (integration === 'none') {
    const why = reason === undefined ? '' : `: ${reason}`;
    context.say(`session ${shown}: no commands; the shell does not mark them${why}`);
    return;
  }
  if (dropped > 0) context.say(`omitted: ${counted(dropped, 'older command')}, no longer kept`);
  printPlain(
    context,
    await table(['NUMBER', 'STATUS', 'TIME', 'DIRECTORY', 'LINE'], all.map(rowOf)),
  );
}

const rowOf = ({
  number,
  state,
  exitCode,
  durationMs,
  cwd,
  line,
  unverified,
}: CommandRecord): string[] => [
  String(number),
  `${state === 'running' ? state : (exitCode ?? 'unknown')}${unverified ? ', unverified' : ''}`,
  durationText(durationMs),
  cwd ?? '',
  // One row per command, even if it has several lines.
  (line ?? '').replaceAll('\n', '⏎'),
];

const listJson = (session: string, { commands: all, ...list }: CommandList) => ({
  name: session,
  integration: list.integration,
  integration_reason: list.integrationReason ?? null,
  dropped: list.dropped,
  commands: all.map(commandJson),
  ...redactedJson(list),
});
