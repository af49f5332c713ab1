import { defined } from '#base';
import { type CommandOutput, withoutStyles } from '#model';
import { toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  commandFlag,
  formatOf,
  output as outputFlags,
  reach,
  redaction,
  redactOf,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  printExactly,
  printRaw,
  printWhole,
  rawJson,
  tellGap,
  tellInvisible,
} from '../output/excerpt.ts';
import { printJson, redactedJson, tellRedacted, wantsJson } from '../output/printing.ts';
import { commandJson, excerptJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const output = defineVerb({
  name: 'output',
  summary: "print the output of a command of a session's shell",
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFlags,
    ...redaction,
    command: commandFlag('command number (default: the last one that ended)'),
    ansi: toggle('print colours'),
    raw: toggle('print the bytes that the command wrote'),
    ...budgetFlags,
  },
  details: [
    'Prints the output of the command as rendered text, without text that was overwritten, even after the screen was cleared.',
    'About the last 64 KiB of each command are always kept. Earlier lines are kept while they are unchanged, on the screen and in the scrollback. Lines that leave the scrollback are archived in encrypted files, 256 MiB for all sessions (archive_max in server.toml). stderr reports what is no longer kept.',
    'Rows that the command left on the alternate screen are not lines of its output: stderr reports them (gap.rows in JSON).',
    'Tabs are kept unless overwritten. Invisible characters are kept, except before the first character of a line, and reported on stderr. A line of more than 256 KiB is split; --raw prints it as it was written.',
  ],
  examples: [
    { line: 'vtr output shell', about: 'print the output of the last command' },
    { line: 'vtr output shell --command 7 --tail 20', about: 'print the end of the seventh' },
    { line: 'vtr output shell --command last > build.log', about: 'save all of it, at any length' },
    { line: 'vtr output shell --raw > output.bin', about: 'save the bytes' },
  ],
  async run(context, { args, flags }) {
    const budget = budgetOf(flags);
    const format = formatOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const command = flags.command ?? 'last';
    const asJson = await wantsJson(context, flags);
    if (!asJson && format !== 'raw' && Object.keys(budget).length === 0) {
      await printWhole(context, coordinator, session, { command, format, ...redactOf(flags) });
      return undefined;
    }
    const request = { command, format, ...budget, ...redactOf(flags) };
    const read = await coordinator.commandOutput(session, request);
    if (asJson) {
      printJson(context, outputJson(session, read));
    } else {
      tellGap(context, read.gap);
      if (read.raw !== undefined) printRaw(context, read.raw);
      else printExactly(context, read.text, read.openEnd, budget);
      if (format !== 'raw') {
        tellInvisible(context, withoutStyles(`${read.text.head}${read.text.tail}`));
      }
      tellRedacted(context, read);
    }
    return undefined;
  },
});

const outputJson = (
  session: string,
  { command, text, raw, openEnd, gap, ...read }: CommandOutput,
) => ({
  name: session,
  command: commandJson(command),
  output: excerptJson(text),
  ...defined({ raw: raw && rawJson(raw) }),
  open_end: openEnd,
  gap,
  ...redactedJson(read),
});
