import type { Cell, ScreenSnapshot } from '#model';
import type { JsonCoordinator } from '#wire/json';
import { findSession } from '../addressing.ts';
import { output, reach } from '../common-flags.ts';
import { toggle, wholeNumber } from '../flags.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { isPlain, screenBox } from '../output/screen-box.ts';
import { sessionArgument } from '../session-argument.ts';
import { defineVerb } from '../verb.ts';

export const screen = defineVerb({
  name: 'screen',
  summary: 'show what is on the screen of a session',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ansi: toggle('the rows alone, with their colours'),
    cells: toggle('JSON with every cell and its style'),
    scrollback: wholeNumber('N', 'the N lines above the screen too; the rows alone, no frame'),
  },
  examples: [
    { line: 'vtr screen codex', about: 'in a frame; a block is the cursor' },
    { line: 'vtr screen codex --json', about: 'rows and cursor for a program' },
    { line: 'vtr screen build --scrollback 100', about: 'with 100 lines of what went by' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, coordinatorName, session } = await findSession(
      context,
      args.session,
      flags,
    );
    const format = flags.cells ? 'cells' : flags.ansi ? 'ansi' : 'text';
    const read = await coordinator.screen(session, { format });
    const above =
      flags.scrollback === undefined
        ? null
        : await linesAbove(coordinator, session, read, flags.scrollback, flags.ansi);
    if (flags.cells || (await wantsJson(context, flags))) {
      printJson(context, screenJson(coordinatorName, session, read, above));
    } else if (flags.ansi || above !== null) {
      context.out([...(above ?? []), ...read.text, ''].join('\n'));
    } else {
      const exact = isPlain(read) ? read : await coordinator.screen(session, { format: 'cells' });
      context.out(screenBox(session, exact));
    }
    return undefined;
  },
});

async function linesAbove(
  coordinator: JsonCoordinator,
  session: string,
  { topLine }: ScreenSnapshot,
  count: number,
  ansi: boolean,
): Promise<string[]> {
  const { lines } = await coordinator.readLines(session, {
    from: Math.max(0, topLine - count),
    to: topLine,
    format: ansi ? 'ansi' : 'text',
  });
  return lines.map(({ text }) => text);
}

function screenJson(
  coordinator: string,
  session: string,
  { size, cursor, ...read }: ScreenSnapshot,
  above: readonly string[] | null,
) {
  const { row, col, visible, shape } = cursor;
  return {
    coordinator,
    name: session,
    cols: size.cols,
    rows: size.rows,
    cursor: { row, col, visible, shape },
    alternate: read.alternate,
    title: read.title,
    revision: read.revision,
    lines: read.cells?.map(textOf) ?? read.text,
    ...(read.cells === undefined ? {} : { cells: read.cells }),
    ...(above === null ? {} : { scrollback: above }),
  };
}

const textOf = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text)
    .join('')
    .trimEnd();
