import { durationText } from '#base';
import type { CommandList, CommandRecord } from '#model';
import { wholeNumber } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { commandJson } from '../output/command-json.ts';
import { counted } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

export const commands = defineVerb({
  name: 'commands',
  summary: 'list the commands that the shell in a session ran, with status and duration',
  args: { session: sessionArgument },
  flags: { ...reach, ...output, last: wholeNumber('N', 'the newest N', { from: 1, to: 1000 }) },
  details: [
    'Known by the marks of the shell: bash, zsh and fish send them in a session of vtr. The last one may still run. vtr output prints what one of them wrote.',
  ],
  examples: [
    { line: 'vtr commands shell', about: 'a table' },
    { line: 'vtr commands shell --last 1 --json', about: 'the newest, for a program' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { last } = flags;
    const list = await coordinator.commands(session, last === undefined ? {} : { last });
    if (await wantsJson(context, flags)) printJson(context, listJson(session, list));
    else printList(context, session, list);
    return undefined;
  },
});

function printList(context: Context, session: string, list: CommandList): void {
  const { commands: all, dropped, integration } = list;
  if (integration === 'none') {
    context.say(`session ${session}: no shell has marked a command`);
    return;
  }
  if (dropped > 0) context.say(`${counted(dropped, 'older command')} not kept`);
  printPlain(context, table(['NUMBER', 'STATUS', 'TOOK', 'FOLDER', 'LINE'], all.map(rowOf)));
}

const rowOf = ({ number, state, exitCode, durationMs, cwd, line }: CommandRecord): string[] => [
  String(number),
  state === 'running' ? 'running' : String(exitCode ?? 'unknown'),
  durationText(durationMs),
  cwd ?? '',
  // A row a command, however many lines it has.
  (line ?? '').replaceAll('\n', '⏎'),
];

const listJson = (session: string, { commands: all, dropped, integration }: CommandList) => ({
  name: session,
  integration,
  dropped,
  commands: all.map(commandJson),
});
