import { defined } from '#base';
import { exitClause, type OutputFormat, type ReadResult, VtrError } from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import { type FlagValues, text, timeRef, toggle } from '../arguments/flags.ts';
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
import { printExcerpt, printRaw, rawJson, tellGap } from '../output/excerpt.ts';
import { flushed, followedOutput } from '../output/followed-output.ts';
import {
  printColoured,
  printJson,
  printPlain,
  redactedJson,
  tellRedacted,
  tellTime,
  wantsJson,
} from '../output/printing.ts';
import { excerptJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const read = defineVerb({
  name: 'read',
  summary: 'print the output of a session since a mark',
  args: { session: sessionArgument },
  otherFlags: { lines: '--tail N', last: '--tail N', n: '--tail N', f: '--follow' },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    since: text('MARK', 'print output since MARK (default: all lines of scrollback and screen)'),
    at: timeRef('print the output up to TIME: 10:32:05, -30s, marker:NAME or command:7'),
    follow: toggle(
      'print the output as it comes, until the program exits; with --tail N, from there',
    ),
    transcript: toggle('print what a full-screen program has shown, not only its screen'),
    ansi: toggle('print colours'),
    raw: toggle('print the raw bytes; about the last MiB is kept'),
    ...budgetFlags,
  },
  details: [
    'Prints lines as a person sees them, without text that was overwritten. While the program uses the alternate screen, that whole screen follows if it changed.',
    'Lines that have left the scrollback are not printed. stderr reports how many there are, and how to print those that are archived (gap.earlier in JSON); gap.lines is the number that is no longer kept.',
    'Invisible characters are removed and counted, as in vtr screen. Only --raw keeps those before the first character of a line.',
    'With --transcript, prints the rows that a program has shown on the alternate screen, in order and without repeats, as far back as the session is recorded in memory, without the rows at the end that stay while the others move. With --since MARK, prints those that were not shown before. Where the screen changed as a whole, rows may be missing or repeated: stderr says where (uncertain in JSON). On the primary screen, --transcript has no effect.',
    'With --at, prints the lines as they were at TIME, as far back as the session is recorded in memory; see vtr screen. The mark is also of that time: reading since it prints what followed.',
    'With --follow, prints a line when it has left the screen, or has not changed for a moment. If a line changes later, it and the lines below it are printed again.',
    'The new mark and the amount omitted are printed to stderr; --json includes both. You keep the mark: reading changes nothing for other readers.',
  ],
  examples: [
    { line: 'vtr read codex --tail 50', about: 'print the last 50 lines, and a mark' },
    { line: 'vtr read build --follow --tail 10', about: 'print what is written, as tail -f does' },
    { line: 'vtr read codex --since r1-...', about: 'print what followed the mark' },
    {
      line: 'vtr read codex --json --both 200 --max-tokens 4000',
      about: 'limit the output for a model',
    },
    { line: 'vtr read codex --at command:7 --tail 50', about: 'print what was there then' },
    { line: 'vtr read codex --transcript --tail 200', about: 'print what scrolled away in a TUI' },
    { line: 'vtr read codex --raw > output.bin', about: 'save the bytes' },
  ],
  async run(context, { args, flags }) {
    const budget = budgetOf(flags);
    const format = formatOf(flags);
    const { coordinator, session } = await findSession(context, args.session, flags);
    if (flags.follow) {
      checkFollow(flags);
      await followSession(context, coordinator, session, flags);
      return undefined;
    }
    const { since, at, transcript } = flags;
    const from = defined({ since, at, transcript: transcript || undefined });
    const result = await coordinator.read(session, {
      ...from,
      format,
      ...budget,
      ...redactOf(flags),
    });
    if (transcript && result.kind === 'screen') throw tooOld();
    if (await wantsJson(context, flags)) printJson(context, readJson(session, result));
    else printRead(context, session, result, format);
    return undefined;
  },
});

const tooOld = () =>
  new VtrError(
    'UNAVAILABLE',
    'the daemon is of an earlier version, which has no transcripts; vtr serve --restart',
  );

/** @throws VtrError INVALID_ARGUMENT */
function checkFollow(
  flags: FlagValues<typeof budgetFlags> &
    Readonly<Record<'since' | 'at' | 'transcript' | 'ansi' | 'raw' | 'json', unknown>>,
): void {
  const others = [
    'since',
    'at',
    'transcript',
    'ansi',
    'raw',
    'json',
    'head',
    'both',
    'max-bytes',
    'max-tokens',
  ] as const;
  const other = others.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (other === undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--follow and --${other} cannot be used together`);
}

/** Prints the lines of a session as they come, until its program exits. */
async function followSession(
  context: Context,
  coordinator: JsonCoordinator,
  session: string,
  { tail, redact }: { readonly tail: number | undefined; readonly redact: boolean },
): Promise<void> {
  const { endLine } = await coordinator.readLines(session, { from: 0, to: 0 });
  const from = tail === undefined ? {} : { from: Math.max(0, endLine - tail) };
  const options = { ...from, ...redactOf({ redact }), isFinal: false };
  for await (const part of followedOutput(coordinator, session, options)) {
    const { text: printed, nextLine, lostLines, exitStatus } = part;
    tellGap(context, { lines: lostLines, bytes: 0 });
    printPlain(context, printed);
    await flushed(context, () => coordinator.follow(session, { from: nextLine }));
    if (part.ended && exitStatus !== null) {
      context.say(`session ${session}: the program ${exitClause(exitStatus)}`);
    }
  }
}

function printRead(
  context: Context,
  session: string,
  result: ReadResult,
  format: OutputFormat,
): void {
  const { head, tail, omitted } = result.text;
  const printed = head.split('\n').length + tail.split('\n').length + (omitted?.lines ?? 0);
  const all = (result.fromLine ?? result.gap.earlier ?? 0) + printed;
  tellGap(context, result.gap, `vtr screen ${session} --scrollback ${all}`);
  if (result.raw === undefined) {
    if (format === 'ansi') printExcerpt(context, result.text, printColoured);
    else printExcerpt(context, result.text);
  } else {
    printRaw(context, result.raw);
  }
  if (result.kind === 'unchanged') context.say('unchanged');
  const { uncertain = [] } = result;
  if (uncertain.length > 0) {
    const places = uncertain.map((line) => line + 1).join(', ');
    context.say(`rows may be missing or repeated before line ${places} of the transcript`);
  }
  context.say(`mark ${result.mark}`);
  tellTime(context, result);
  tellRedacted(context, result);
}

const readJson = (session: string, { kind, text: read, raw, ...result }: ReadResult) => ({
  name: session,
  kind,
  text: excerptJson(read),
  ...defined({ raw: raw && rawJson(raw) }),
  gap: { ...result.gap, earlier: result.gap.earlier ?? 0 },
  ...defined({ uncertain: result.uncertain }),
  from_line: result.fromLine,
  mark: result.mark,
  revision: result.revision,
  ...(result.atMs === undefined ? {} : { at: new Date(result.atMs).toISOString() }),
  ...redactedJson(result),
});
