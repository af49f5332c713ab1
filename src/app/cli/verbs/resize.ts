import { checkSize, VtrError } from '#model';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { defineVerb } from '../verb.ts';

export const resize = defineVerb({
  name: 'resize',
  summary: 'resize the screen of a session',
  args: {
    session: sessionArgument,
    cols: { about: 'number of columns, 1 to 1000' },
    rows: { about: 'number of rows, 1 to 1000' },
  },
  flags: reach,
  examples: [{ line: 'vtr resize codex 120 40', about: 'resize to 120 columns and 40 rows' }],
  async run(context, { args, flags }) {
    const size = checkSize({ cols: side(args.cols), rows: side(args.rows) });
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.resize(session, size);
    return undefined;
  },
});

/** @throws VtrError INVALID_SIZE */
function side(given: string): number {
  if (/^\d+$/.test(given)) return Number(given);
  throw new VtrError(
    'INVALID_SIZE',
    `invalid size ${JSON.stringify(given)}; use a whole number from 1 to 1000`,
  );
}
