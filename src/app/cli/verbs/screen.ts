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

/** Each row of cells is one line of JSON. */
const jsonLevels = 2;

const flags = {
  ...reach,
  ...output,
  ansi: toggle('print only the rows, with colours'),
  cells: toggle('list styled text with its position and style'),
  scrollback: wholeNumber('N', 'also print the N lines above the screen; no frame'),
};

export const screen = defineVerb({
  name: 'screen',
  summary: 'show the screen of a session',
  args: { session: sessionArgument },
  flags,
  details: [
    'With --cells, each line describes one run of styled text: ROW:FIRST-LAST (0-based row and columns), its attributes and colours, and the text. --json prints every cell.',
    'Control and invisible characters (controls, direction marks, tags, zero-width characters) are removed and counted. --json keeps them: the field removed is their number, and hidden_text is true if there is text in an invisible colour. --ansi adds only colours.',
  ],
  examples: [
    { line: 'vtr screen codex', about: 'print a frame; a block is the cursor' },
    { line: 'vtr screen codex --cells', about: 'find the highlighted entry of a menu' },
    { line: 'vtr screen codex --json', about: 'print rows, cursor and cells as JSON' },
    { line: 'vtr screen build --scrollback 100', about: 'add 100 lines of scrollback' },
  ],
  async run(context, { args, flags: given }) {
    if (given.ansi && (given.json || given.cells)) {
      throw new VtrError('INVALID_ARGUMENT', '--ansi cannot be used with --json or --cells');
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

/** Null without `--scrollback`. */
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
