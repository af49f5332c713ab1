import type { CommandOutput } from '#model';
import { toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  commandFlag,
  output as outputFlags,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { commandJson, excerptJson } from '../output/command-json.ts';
import { printExactly, tellGap, tellInvisible } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { defineVerb } from '../verb.ts';

export const output = defineVerb({
  name: 'output',
  summary: "print the output of a command of a session's shell",
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFlags,
    command: commandFlag('command number (default: the last one that ended)'),
    ansi: toggle('print colours'),
    ...budgetFlags,
  },
  details: [
    'Prints the output as rendered text: tabs become spaces, and overwritten text is omitted. Invisible characters are kept and reported on stderr.',
  ],
  examples: [
    { line: 'vtr output shell', about: 'print the output of the last command' },
    { line: 'vtr output shell --command 7 --tail 20', about: 'print the end of the seventh' },
  ],
  async run(context, { args, flags }) {
    const budget = budgetOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const read = await coordinator.commandOutput(session, {
      command: flags.command ?? 'last',
      format: flags.ansi ? 'ansi' : 'text',
      ...budget,
    });
    if (await wantsJson(context, flags)) {
      printJson(context, outputJson(session, read));
    } else {
      tellGap(context, read.gap);
      printExactly(context, read.text, read.openEnd, budget);
      if (!flags.ansi) tellInvisible(context, `${read.text.head}${read.text.tail}`);
    }
    return undefined;
  },
});

const outputJson = (session: string, { command, text, openEnd, gap }: CommandOutput) => ({
  name: session,
  command: commandJson(command),
  output: excerptJson(text),
  open_end: openEnd,
  gap,
});
