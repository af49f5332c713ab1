import { type Coordinator, type SessionInfo, type TimeRef, VtrError } from '#model';
import { exitAnswer, isSameSize } from '../tools/fields.ts';
import { noMarks } from './read-marks.ts';
import { readView, type ViewArguments } from './read-view.ts';
import { PlainLines } from './terminal-text.ts';

/** The arguments of terminal__read that say nothing about a time in the past. */
const presentOnly = [
  'since',
  'wait_for',
  'stop_on',
  'wait_idle_ms',
  'wait_for_prompt',
  'wait_for_exit',
  'wait_for_command',
  'wait_for_driver',
] as const;

type PresentArguments = { readonly [Name in (typeof presentOnly)[number]]?: unknown };

/**
 * Reads a session as it was. Returns the answer of terminal__read, in which the state and the exit are
 * those of now. What the client has read is not affected.
 *
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED, COMMAND_NOT_FOUND
 */
export async function readEarlier(
  coordinator: Coordinator,
  session: SessionInfo,
  args: ViewArguments & PresentArguments & { readonly at: TimeRef },
  isLean: boolean,
) {
  const other = presentOnly.find((name) => args[name] !== undefined);
  const conflict = other ?? (args.view === 'new' ? 'view new' : undefined);
  if (conflict !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `at and ${conflict} cannot be used together`);
  }
  const ref = { name: session.name, id: session.id };
  const viewed = await readView(coordinator, ref, args, noMarks());
  const { text, cursor, atMs, size = session.size, totalLines, highlighted = [] } = viewed;
  const lines = new PlainLines();
  const { lines: count, ...found } = text;
  const answer = {
    ...found,
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
    ...(totalLines === undefined ? {} : { total_lines: totalLines }),
    ...(highlighted.length === 0
      ? {}
      : { highlighted: highlighted.map(({ row, text }) => ({ row, text: lines.plain(text) })) }),
    cursor,
  };
  const dimensions = { rows: size.rows, cols: size.cols };
  if (isLean) {
    return {
      ...answer,
      ...(args.view === 'scrollback' ? { lines: count } : {}),
      ...(isSameSize(session.size, size) ? {} : { dimensions }),
    };
  }
  return {
    ...{ ...answer, lines: count, dimensions },
    ...{ has_new_content: false, prompt_detected: false, idle: false },
    ...exitAnswer(session.exitStatus),
    state: session.state,
  };
}
