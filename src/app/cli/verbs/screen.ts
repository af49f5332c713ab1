import { type ScreenSnapshot, VtrError } from '#model';
import { type FlagValues, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession, type Target } from '../coordinators/addressing.ts';
import { cellRuns } from '../output/cell-runs.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain, tellRemoved } from '../output/plain-text.ts';
import { isPlain, screenBox } from '../output/screen-box.ts';
import { screenJson } from '../output/screen-json.ts';
import { defineVerb } from '../verb.ts';

/** A line a row of cells: the other fields are few. */
const jsonLevels = 2;

const flags = {
  ...reach,
  ...output,
  ansi: toggle('the rows alone, with their colours'),
  cells: toggle('where the screen is not in plain style, and how it looks there'),
  scrollback: wholeNumber('N', 'the N lines above the screen too; the rows alone, no frame'),
};

export const screen = defineVerb({
  name: 'screen',
  summary: 'show what is on the screen of a session',
  args: { session: sessionArgument },
  flags,
  details: [
    'With --cells each line is a stretch of a row that looks other than plain text: ROW:FIRST-LAST, counted from 0, its attributes and colours, and its text. With --json every cell is there.',
    'What a terminal would obey and what nobody would see (controls, marks of direction, tags, what has no width) is left out, and how much that was is said; --json keeps it and counts it as removed, and says by hidden_text whether there is text in no visible colour. With --ansi only the colours are added.',
  ],
  examples: [
    { line: 'vtr screen codex', about: 'in a frame; a block is the cursor' },
    { line: 'vtr screen codex --cells', about: 'which entry of a menu is highlighted' },
    { line: 'vtr screen codex --json', about: 'rows, cursor and cells for a program' },
    { line: 'vtr screen build --scrollback 100', about: 'with 100 lines of what went by' },
  ],
  async run(context, { args, flags: given }) {
    if (given.ansi && (given.json || given.cells)) {
      throw new VtrError('INVALID_ARGUMENT', '--ansi goes without --json and --cells');
    }
    const target = await findSession(context, args.session, given);
    const { coordinator, coordinatorName, session } = target;
    const isHuman = (given.ansi || given.cells) && !given.json;
    const isJson = !isHuman && (await wantsJson(context, given));
    const format = isJson || given.cells ? 'cells' : given.ansi ? 'ansi' : 'text';
    const read = await coordinator.screen(session, { format });
    const above = await linesAbove(target, read, given);
    if (isJson) {
      printJson(context, screenJson(coordinatorName, session, read, above), jsonLevels);
    } else if (given.cells) {
      printPlain(context, cellRuns(read.cells ?? []));
    } else if (given.ansi) {
      context.out([...(above ?? []), ...read.text, ''].join('\n'));
    } else if (above !== null) {
      printPlain(context, [...above, ...read.text, ''].join('\n'));
    } else {
      const exact = isPlain(read) ? read : await coordinator.screen(session, { format: 'cells' });
      const { text, removed } = screenBox(session, exact);
      context.out(text);
      tellRemoved(context, removed);
    }
    return undefined;
  },
});

/** Null where none were asked for. */
async function linesAbove(
  { coordinator, session }: Target,
  { topLine }: ScreenSnapshot,
  { scrollback, ansi }: FlagValues<typeof flags>,
): Promise<string[] | null> {
  if (scrollback === undefined) return null;
  const { lines } = await coordinator.readLines(session, {
    from: Math.max(0, topLine - scrollback),
    to: topLine,
    format: ansi ? 'ansi' : 'text',
  });
  return lines.map(({ text }) => text);
}
