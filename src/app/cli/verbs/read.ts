import type { OutputFormat, ReadResult } from '#model';
import { text, timeRef, toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  formatOf,
  output,
  reach,
  redaction,
  redactOf,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { excerptJson } from '../output/command-json.ts';
import { printExcerpt, printRaw, rawJson, tellGap } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printColoured, redactedJson, tellRedacted, tellTime } from '../output/plain-text.ts';
import { defineVerb } from '../verb.ts';

export const read = defineVerb({
  name: 'read',
  summary: 'print the output of a session since a mark',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    since: text('MARK', 'print output since MARK (default: all output kept)'),
    at: timeRef('print the output up to TIME: 10:32:05, -30s, marker:NAME or command:7'),
    ansi: toggle('print colours'),
    raw: toggle('print the raw bytes; about the last MiB is kept'),
    ...budgetFlags,
  },
  details: [
    'Prints lines as a person sees them, without text that was overwritten. While the program uses the alternate screen, that whole screen follows if it changed.',
    'With --at, the lines as they were then, as far back as the session is recorded in memory; see vtr screen. The mark is that of then: reading since it prints what followed.',
    'The new mark and the amount omitted are printed to stderr; --json includes both. You keep the mark: reading changes nothing for other readers.',
  ],
  examples: [
    { line: 'vtr read codex --tail 50', about: 'print the last 50 lines, and a mark' },
    { line: 'vtr read codex --since r1-...', about: 'print what followed the mark' },
    {
      line: 'vtr read codex --json --both 200 --max-tokens 4000',
      about: 'limit the output for a model',
    },
    { line: 'vtr read codex --at command:7 --tail 50', about: 'print what was there then' },
    { line: 'vtr read codex --raw > output.bin', about: 'save the bytes' },
  ],
  async run(context, { args, flags }) {
    const budget = budgetOf(flags);
    const format = formatOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { since, at } = flags;
    const from = { ...(since === undefined ? {} : { since }), ...(at === undefined ? {} : { at }) };
    const result = await coordinator.read(session, {
      ...{ ...from, format, ...budget },
      ...redactOf(flags),
    });
    if (await wantsJson(context, flags)) printJson(context, readJson(session, result));
    else printRead(context, result, format);
    return undefined;
  },
});

function printRead(context: Context, result: ReadResult, format: OutputFormat): void {
  tellGap(context, result.gap);
  if (result.raw === undefined) {
    if (format === 'ansi') printExcerpt(context, result.text, printColoured);
    else printExcerpt(context, result.text);
  } else {
    printRaw(context, result.raw);
  }
  if (result.kind === 'unchanged') context.say('unchanged');
  context.say(`mark ${result.mark}`);
  tellTime(context, result);
  tellRedacted(context, result);
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
  ...(result.atMs === undefined ? {} : { at: new Date(result.atMs).toISOString() }),
  ...redactedJson(result),
});
