import type { OutputFormat, ReadResult } from '#model';
import { text, toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  formatOf,
  output,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { excerptJson } from '../output/command-json.ts';
import { printExcerpt, printRaw, rawJson, tellGap } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { defineVerb } from '../verb.ts';

export const read = defineVerb({
  name: 'read',
  summary: 'print the output of a session since a mark',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    since: text('MARK', 'print output since MARK (default: all output kept)'),
    ansi: toggle('print colours'),
    raw: toggle('print the raw bytes; about the last MiB is kept'),
    ...budgetFlags,
  },
  details: [
    'Prints lines as a person sees them, without text that was overwritten. While the program uses the alternate screen, that whole screen follows if it changed.',
    'The new mark and the amount omitted are printed to stderr; --json includes both. You keep the mark: reading changes nothing for other readers.',
  ],
  examples: [
    { line: 'vtr read codex --tail 50', about: 'print the last 50 lines, and a mark' },
    { line: 'vtr read codex --since r1-...', about: 'print what followed the mark' },
    {
      line: 'vtr read codex --json --both 200 --max-tokens 4000',
      about: 'limit the output for a model',
    },
    { line: 'vtr read codex --raw > output.bin', about: 'save the bytes' },
  ],
  async run(context, { args, flags }) {
    const budget = budgetOf(flags);
    const format = formatOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const since = flags.since === undefined ? {} : { since: flags.since };
    const result = await coordinator.read(session, { ...since, format, ...budget });
    if (await wantsJson(context, flags)) printJson(context, readJson(session, result));
    else printRead(context, result, format);
    return undefined;
  },
});

function printRead(context: Context, result: ReadResult, format: OutputFormat): void {
  tellGap(context, result.gap);
  if (result.raw === undefined) {
    if (format === 'ansi') printExcerpt(context, result.text, ({ out }, ansi) => out(ansi));
    else printExcerpt(context, result.text);
  } else {
    printRaw(context, result.raw);
  }
  if (result.kind === 'unchanged') context.say('unchanged');
  context.say(`mark ${result.mark}`);
}

const readJson = (session: string, { kind, text: read, raw, ...result }: ReadResult) => ({
  name: session,
  kind,
  text: excerptJson(read),
  ...(raw === undefined ? {} : { raw: rawJson(raw) }),
  gap: result.gap,
  from_line: result.fromLine,
  mark: result.mark,
  revision: result.revision,
});
