import { checkSize, type SessionInfo, VtrError } from '#model';
import { senderFlags, senderOf } from '../arguments/sender-flags.ts';
import { output } from '../arguments/shared-flags.ts';
import { actOnEach } from '../coordinators/act-on-each.ts';
import {
  selectionDetails,
  selectionFlags,
  selectSessions,
  sessionsArgument,
} from '../coordinators/selection.ts';
import { defineVerb } from '../verb.ts';

export const resize = defineVerb({
  name: 'resize',
  summary: 'resize the screens of sessions',
  args: {
    session: sessionsArgument,
    cols: { about: 'number of columns, 1 to 1000' },
    rows: { about: 'number of rows, 1 to 1000' },
  },
  flags: { ...selectionFlags, ...output, ...senderFlags },
  details: ['Globs and --all select only sessions whose program runs.', selectionDetails],
  examples: [
    { line: 'vtr resize codex 120 40', about: 'resize to 120 columns and 40 rows' },
    { line: 'vtr resize codex 120x40', about: 'the same' },
    { line: 'vtr resize --all 120 40', about: 'resize all sessions' },
  ],
  async run(context, { args, flags }) {
    const { session, cols, rows } = sizeIn(args);
    const size = checkSize({ cols: side('COLS', cols), rows: side('ROWS', rows) });
    const patterns = session === undefined ? [] : [session];
    const isRunning = ({ state }: SessionInfo) => state === 'running';
    const selection = await selectSessions(context, patterns, flags, isRunning);
    const { by: _, ...sender } = senderOf(flags, '');
    return actOnEach(context, flags, selection, 'resized', ({ coordinator, ref }) =>
      coordinator.resize(ref, size, sender),
    );
  },
});

interface Given {
  readonly session?: string | undefined;
  readonly cols: string;
  readonly rows: string;
}

/** Takes `SESSION 120x40` for `SESSION 120 40`, as other verbs have --size. */
function sizeIn(args: Given): Given {
  const [, cols, rows] = /^(\d+)x(\d+)$/.exec(args.rows) ?? [];
  if (args.session !== undefined || cols === undefined || rows === undefined) return args;
  return { session: args.cols, cols, rows };
}

/** @throws VtrError INVALID_SIZE */
function side(name: 'COLS' | 'ROWS', given: string): number {
  if (/^\d+$/.test(given)) return Number(given);
  throw new VtrError(
    'INVALID_SIZE',
    `invalid ${name} ${JSON.stringify(given)}; COLS ROWS are two whole numbers from 1 to 1000, such as 120 40`,
  );
}
