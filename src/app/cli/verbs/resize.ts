import { quoted } from '#base';
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
    rows: { about: 'number of rows, 1 to 1000; not after COLSxROWS', optional: true },
  },
  flags: { ...selectionFlags, ...output, ...senderFlags },
  details: ['Globs and --all select only sessions whose program runs.', selectionDetails],
  examples: [
    { line: 'vtr resize codex 120 40', about: 'resize to 120 columns and 40 rows' },
    { line: 'vtr resize codex 120x40', about: 'the same' },
    { line: 'vtr resize --all 120x40', about: 'resize all sessions' },
  ],
  async run(context, { args, flags }) {
    const { session, cols, rows } = sizeIn(args, flags.all);
    const size = checkSize({ cols: side('COLS', cols), rows: side('ROWS', rows) });
    const patterns = session === undefined ? [] : [session];
    const isRunning = ({ state }: SessionInfo) => state === 'running';
    const selection = await selectSessions(context, patterns, flags, isRunning);
    const sender = senderOf(flags, 'vtr resize');
    return actOnEach(context, flags, selection, 'resized', ({ coordinator, ref }) =>
      coordinator.resize(ref, size, sender),
    );
  },
});

interface Given {
  readonly session?: string | undefined;
  readonly cols: string;
  readonly rows?: string | undefined;
}

/**
 * Takes `120x40` for `120 40`, as other verbs have --size. The words are taken together, because those of `--all 120 40`
 * arrive as SESSION and COLS.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
function sizeIn(args: Given, isForAll: boolean) {
  const words = [args.session, args.cols, args.rows].filter((word) => word !== undefined);
  const [, ...sides] = /^(\d+)x(\d+)$/.exec(words.at(-1) ?? '') ?? [];
  const [cols, rows] = sides.length > 0 ? sides : words.slice(-2);
  const [session, ...others] = words.slice(0, sides.length > 0 ? -1 : -2);
  const hasTarget = session === undefined ? isForAll : others.length === 0;
  if (cols !== undefined && rows !== undefined && hasTarget) return { session, cols, rows };
  throw new VtrError(
    'INVALID_ARGUMENT',
    'give SESSION COLS ROWS, SESSION COLSxROWS, or --all in place of SESSION',
  );
}

/** @throws VtrError INVALID_SIZE */
function side(name: 'COLS' | 'ROWS', text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new VtrError(
    'INVALID_SIZE',
    `invalid ${name} ${quoted(text)}; COLS ROWS are two whole numbers from 1 to 1000, such as 120 40`,
  );
}
