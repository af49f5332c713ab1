import { type OutputFormat, type ReadResult, VtrError } from '#model';
import { text, toggle } from '../arguments/flags.ts';
import {
  budgetFlags,
  budgetOf,
  output,
  reach,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { excerptJson } from '../output/command-json.ts';
import { counted, printExcerpt, tellGap } from '../output/excerpt.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { defineVerb } from '../verb.ts';

export const read = defineVerb({
  name: 'read',
  summary: 'print what a session wrote since a mark',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    since: text('MARK', 'what came after it; all that is kept if not given'),
    ansi: toggle('with colours'),
    raw: toggle('the untouched bytes; about the last MiB is kept'),
    ...budgetFlags,
  },
  details: [
    'Lines as a person sees them: what was painted over is not among them. While a program has the alternate screen, it is that screen, whole, if it changed.',
    'The new mark is said on stderr, and how much was left out; --json has both with the text. A mark is yours: reading changes nothing for others.',
  ],
  examples: [
    { line: 'vtr read codex --tail 50', about: 'the last lines, and a mark' },
    { line: 'vtr read codex --since r1-...', about: 'what came after it' },
    { line: 'vtr read codex --json --both 200 --max-tokens 4000', about: 'for a model' },
    { line: 'vtr read codex --raw > output.bin', about: 'bytes' },
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

/** @throws VtrError INVALID_ARGUMENT */
function formatOf({ ansi, raw }: { readonly ansi: boolean; readonly raw: boolean }): OutputFormat {
  if (ansi && raw) throw new VtrError('INVALID_ARGUMENT', 'give --ansi or --raw, not both of them');
  return raw ? 'raw' : ansi ? 'ansi' : 'text';
}

function printRead(context: Context, result: ReadResult, format: OutputFormat): void {
  tellGap(context, result.gap);
  if (result.raw === undefined) {
    if (format === 'ansi') printExcerpt(context, result.text, ({ out }, ansi) => out(ansi));
    else printExcerpt(context, result.text);
  } else {
    const { omittedBytes, bytes } = result.raw;
    if (omittedBytes > 0) context.say(`left out: ${counted(omittedBytes, 'byte')}`);
    if (bytes.length > 0) context.out(bytes);
  }
  if (result.kind === 'unchanged') context.say('unchanged');
  context.say(`mark ${result.mark}`);
}

const readJson = (session: string, { kind, text: read, raw, ...result }: ReadResult) => ({
  name: session,
  kind,
  text: excerptJson(read),
  ...(raw === undefined
    ? {}
    : {
        raw: {
          base64: Buffer.from(raw.bytes).toString('base64'),
          offset: raw.offset,
          omitted_bytes: raw.omittedBytes,
        },
      }),
  gap: result.gap,
  from_line: result.fromLine,
  mark: result.mark,
  revision: result.revision,
});
