import {
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  checkBudget,
  checkOutputFormat,
  commandFormats,
  type OutputPosition,
} from '#model';
import type { Readable } from '../watched.ts';
import { emptyExcerpt, excerpt } from './excerpt.ts';
import { givenLines, keptLines, type Stretch, Stretches } from './stretches.ts';

export type LineOutput = Omit<CommandOutput, 'command'>;

/**
 * Returns the output of a command on the primary screen, as it is displayed now.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
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
  const { firstLine } = session.terminal;
  const dropped = Math.max(0, Math.min(firstLine, range.to.line + 1) - range.from.line);
  const lines = new Stretches(stretches(session, range, format));
  return {
    command,
    text: excerpt(lines, request),
    openEnd: lines.count === 0 || endCol(session, command) > 0,
    gap: { lines: dropped, bytes: 0 },
  };
}

/** Returns the column at which the output ends, or currently ends if the command runs. */
function endCol(session: Readable, { to }: CommandRecord): number {
  return (to ?? session.terminal.linePosition()).col;
}

/** A position in a line, before this column. */
interface LinePosition {
  readonly line: number;
  readonly col: number;
}

interface LineRange {
  readonly from: LinePosition;
  readonly to: LinePosition;
}

/** Returns the lines of a command's output, from `from` up to but not including `to`. */
export function commandLines(
  session: Readable,
  command: CommandRecord,
): { readonly from: number; readonly to: number } {
  const range = commandRange(session, command);
  if (range === null) return { from: session.terminal.endLine, to: session.terminal.endLine };
  const { from, to } = range;
  return { from: from.line, to: to.col > 0 ? to.line + 1 : to.line };
}

/** Returns the range of a command's output; null if none of it is in lines. */
function commandRange(session: Readable, command: CommandRecord): LineRange | null {
  const from = positionOf(command.from);
  const to =
    command.to === null ? { line: session.terminal.endLine, col: 0 } : positionOf(command.to);
  if (from === null || to === null) return null;
  // The command cleared the screen or moved up on it, maybe in the chunk of output in which it began.
  const rewritten = session.terminal.rewrittenFrom(command.startRevision - 1);
  const isRewritten =
    to.line < from.line || session.terminal.clearedFrom(command.startRevision - 1) <= rewritten;
  return { from: isRewritten && rewritten < from.line ? { line: rewritten, col: 0 } : from, to };
}

function positionOf({ line, col }: OutputPosition): LinePosition | null {
  return line === null ? null : { line, col };
}

function stretches(session: Readable, { from, to }: LineRange, format: 'text' | 'ansi'): Stretch[] {
  const part = (line: number, columns: { from?: number; to?: number }) =>
    line < session.terminal.firstLine ? [] : [givenLines(line, [session.linePart(line, columns)])];
  if (from.line === to.line) {
    return to.col > from.col ? part(from.line, { from: from.col, to: to.col }) : [];
  }
  const first = from.col === 0 ? from.line : from.line + 1;
  return [
    ...(from.col === 0 ? [] : part(from.line, { from: from.col })),
    keptLines(session, Math.max(first, session.terminal.firstLine), to.line, format),
    ...(to.col === 0 ? [] : part(to.line, { to: to.col })),
  ];
}
