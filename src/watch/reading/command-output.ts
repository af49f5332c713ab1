import {
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  checkBudget,
  checkOutputFormat,
  commandFormats,
  type OutputPosition,
  type ReadBudget,
  type ReadMark,
} from '#model';
import type { Readable } from '../watched.ts';
import { emptyExcerpt, excerpt } from './excerpt.ts';
import { parseMark } from './read-mark.ts';
import { givenLines, keptLines, type Stretch, Stretches } from './stretches.ts';

export type LineOutput = Omit<CommandOutput, 'command'>;

/** What a command wrote on the primary screen, as it is now. @throws VtrError INVALID_ARGUMENT */
export function commandOutput(
  session: Readable,
  command: CommandRecord,
  request: CommandOutputRequest,
): CommandOutput {
  checkBudget(request);
  const format = checkOutputFormat(request.format ?? 'text', commandFormats);
  const range = commandRange(session, command);
  if (range === null) {
    return { command, text: emptyExcerpt, openEnd: true, gap: { lines: 0, bytes: 0 } };
  }
  const { firstLine } = session;
  const dropped = Math.max(0, Math.min(firstLine, range.to.line + 1) - range.from.line);
  const lines = new Stretches(stretches(session, range, format));
  return {
    command,
    text: excerpt(lines, request),
    openEnd: lines.count === 0 || endCol(session, command) > 0,
    gap: { lines: dropped, bytes: 0 },
  };
}

/** The column in which the output ends; while the command runs, in which it goes on. */
function endCol(session: Readable, { to }: CommandRecord): number {
  return (to ?? session.outputPlace()).col;
}

/** A place in the lines: before this column. */
interface Place {
  readonly line: number;
  readonly col: number;
}

interface PlaceRange {
  readonly from: Place;
  readonly to: Place;
}

/** The lines of a command's output: from `from` up to and without `to`. */
export function commandLines(
  session: Readable,
  command: CommandRecord,
): { readonly from: number; readonly to: number } {
  const range = commandRange(session, command);
  if (range === null) return { from: session.endLine, to: session.endLine };
  const { from, to } = range;
  return { from: from.line, to: to.col > 0 ? to.line + 1 : to.line };
}

/** From where to where a command's output goes; null where none of it went to lines. */
function commandRange(session: Readable, command: CommandRecord): PlaceRange | null {
  const from = placeOf(command.from);
  const to = command.to === null ? { line: session.endLine, col: 0 } : placeOf(command.to);
  if (from === null || to === null) return null;
  // It cleared the screen, or went up on it: perhaps in the chunk of output that it began in.
  const rewritten = session.rewrittenFrom(command.startRevision - 1);
  const isAnew = to.line < from.line || session.clearedFrom(command.startRevision - 1) <= rewritten;
  return { from: isAnew && rewritten < from.line ? { line: rewritten, col: 0 } : from, to };
}

function placeOf({ line, col }: OutputPosition): Place | null {
  return line === null ? null : { line, col };
}

function stretches(
  session: Readable,
  { from, to }: PlaceRange,
  format: 'text' | 'ansi',
): Stretch[] {
  const part = (line: number, columns: { from?: number; to?: number }) =>
    line < session.firstLine ? [] : [givenLines(line, [session.linePart(line, columns)])];
  if (from.line === to.line) {
    return to.col > from.col ? part(from.line, { from: from.col, to: to.col }) : [];
  }
  const first = from.col === 0 ? from.line : from.line + 1;
  return [
    ...(from.col === 0 ? [] : part(from.line, { from: from.col })),
    keptLines(session, Math.max(first, session.firstLine), to.line, format),
    ...(to.col === 0 ? [] : part(to.line, { to: to.col })),
  ];
}

/**
 * What came between a line that was typed and the prompt that follows, where the shell marks neither:
 * all lines but the one that was typed in and the one that the cursor is in.
 */
export function outputOfLine(session: Readable, typedAt: ReadMark, budget: ReadBudget): LineOutput {
  const mark = parseMark(session, typedAt);
  const rewritten = session.rewrittenFrom(mark.revision);
  const asked = rewritten < mark.line ? rewritten : mark.line + 1;
  const from = Math.max(asked, session.firstLine);
  const lines = new Stretches([keptLines(session, from, session.outputPlace().line, 'text')]);
  return {
    text: excerpt(lines, budget),
    openEnd: lines.count === 0,
    gap: { lines: from - asked, bytes: 0 },
  };
}
