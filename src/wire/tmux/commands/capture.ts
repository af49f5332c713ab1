import { capturedText } from '../capture/captured-text.ts';
import { paneRows, type Row } from '../capture/pane-rows.ts';
import { TmuxError } from '../tmux-error.ts';
import { type Arguments, wholeNumber } from '../words/arguments.ts';
import type { Call, Commands } from './call.ts';

export const captureCommands = {
  'capture-pane': {
    usage: '[-aCeJNpPq] [-b buffer-name] [-E end-line] [-S start-line] [-t target-pane]',
    run: capture,
  },
  'clear-history': {
    usage: '[-t target-pane]',
    run: async (call, args) => {
      const { pane } = call.target(args, 'pane');
      const { coordinator } = call.server.programs;
      // The lines are kept by vtr, for its own commands.
      pane.firstLine = (await coordinator.readLines(pane.session, { from: 0, to: 0 })).topLine;
    },
  },
} satisfies Commands;

async function capture(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const { pane } = call.target(args, 'pane');
  if (args.has('P')) throw new TmuxError('vtr does not support capture-pane -P');
  const start = args.value('S');
  const end = args.value('E');
  const reaches = (given: string | undefined) => given?.startsWith('-') === true;
  const rows = await paneRows(
    server.programs.coordinator,
    pane.session,
    reaches(start) || reaches(end) ? pane.firstLine : null,
  );
  const chosen = args.has('a')
    ? behind(rows.behind, args)
    : slice(rows.history, rows.screen, start, end);
  const text = capturedText(chosen, {
    styles: args.has('e'),
    octal: args.has('C'),
    join: args.has('J'),
    keepBlanks: args.has('N'),
  });
  if (args.has('p')) {
    call.output.stdout += `${text}\n`;
    return;
  }
  const limit = server.options.number('buffer-limit');
  server.buffers.set(args.value('b'), `${text}\n`, limit, server.nowMs());
}

/** The screen that the alternate one hides. @throws TmuxError without one, unless quiet */
function behind(rows: readonly Row[] | null, args: Arguments): readonly Row[] {
  if (rows !== null) return slice([], rows, args.value('S'), args.value('E'));
  if (args.has('q')) return [];
  throw new TmuxError('no alternate screen');
}

/** The rows from one to another: 0 is the top of the screen, and those above it are negative. */
function slice(
  history: readonly Row[],
  screen: readonly Row[],
  start: string | undefined,
  end: string | undefined,
): readonly Row[] {
  const last = history.length + screen.length - 1;
  const at = (given: string | undefined, whole: number, initial: number) => {
    if (given === '-') return whole;
    const row = given === undefined ? null : rowNumber(given);
    return row === null ? initial : Math.min(Math.max(0, history.length + row), last);
  };
  const from = at(start, 0, history.length);
  const to = at(end, last, last);
  return [...history, ...screen].slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** Null for anything but a number, which is then ignored. */
function rowNumber(given: string): number | null {
  try {
    return wholeNumber(given, -2_147_483_648, 32_767, 'row');
  } catch {
    return null;
  }
}
