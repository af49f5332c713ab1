import { defined } from '#base';
import {
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  checkBudget,
  checkLine,
  checkOutputFormat,
  type Excerpt,
  outputFormats,
} from '#model';
import type { LineFormat, OutputPart, ReadableOutputs } from '../watched.ts';
import { emptyExcerpt, excerpt, rawPart } from './excerpt.ts';
import { givenLines, keptLines, type Stretch, Stretches } from './stretches.ts';

/**
 * Returns the output of a command: what it wrote, as displayed, without the output of others.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function commandOutput(
  { outputs }: { readonly outputs: ReadableOutputs },
  command: CommandRecord,
  request: CommandOutputRequest,
): CommandOutput {
  checkBudget(request);
  const format = checkOutputFormat(request.format ?? 'text', outputFormats);
  if (format === 'raw') return rawOutput(outputs, command, request);
  const { parts, lostLines, cleared, openEnd, screenRows: rows = 0 } = outputs.lines(command);
  const all = new Stretches(parts.flatMap((part) => stretchesOf(part, format)));
  const lines = withoutSkipped(all, lostLines, request);
  const text = excerpt(lines, request);
  const unreadable = unreadableIn(text, lines);
  return {
    command,
    text,
    openEnd,
    gap: {
      lines: lostLines,
      bytes: 0,
      ...(rows > 0 && { rows }),
      ...defined({ cleared: cleared || undefined }),
      ...(unreadable > 0 && { unreadable }),
    },
    ...defined({ skippedLines: request.skipLines }),
  };
}

/** Returns how many lines of an excerpt could not be read. */
function unreadableIn({ head, tail, omitted }: Excerpt, lines: Stretches): number {
  const { count } = lines;
  if (omitted === null) return lines.unreadable(0, count);
  const [above, below] = [head, tail].map((text) => (text === '' ? 0 : text.split('\n').length));
  return lines.unreadable(0, above ?? 0) + lines.unreadable(count - (below ?? 0), count);
}

/** Returns the lines that a request may have, and one more if there is one. @throws VtrError INVALID_ARGUMENT */
function withoutSkipped(
  lines: Stretches,
  lostLines: number,
  { skipLines, maxLines = Number.POSITIVE_INFINITY }: CommandOutputRequest,
): Stretches {
  if (skipLines === undefined) return lines;
  const from = Math.max(0, checkLine('skipLines', skipLines) - lostLines);
  return lines.part(from, from + maxLines + 1);
}

function rawOutput(
  outputs: ReadableOutputs,
  command: CommandRecord,
  request: CommandOutputRequest,
): CommandOutput {
  const { bytes, offset, lostBytes } = outputs.bytes(command);
  const raw = rawPart([{ offset, bytes }], offset, offset + bytes.length, request);
  const openEnd = bytes.at(-1) !== 0x0a;
  return { command, text: emptyExcerpt, raw, openEnd, gap: { lines: 0, bytes: lostBytes } };
}

function stretchesOf(part: OutputPart, format: LineFormat): Stretch[] {
  const { lines, from, to, fromCol, toCol } = part;
  if (from === to) return [];
  const one = (line: number, columns: { from?: number; to?: number }) => {
    const texts = [lines.linePart(line, columns, format)];
    const plain = format === 'text' ? texts : [lines.linePart(line, columns, 'text')];
    return numbered(part, givenLines(line, texts, plain));
  };
  const isCut = toCol !== Number.POSITIVE_INFINITY;
  if (to === from + 1 && (isCut || fromCol > 0)) return [one(from, { from: fromCol, to: toCol })];
  const first = fromCol > 0 ? from + 1 : from;
  const last = isCut ? to - 1 : to;
  return [
    ...(fromCol > 0 ? [one(from, { from: fromCol })] : []),
    numbered(part, keptLines(lines, first, last, format, lines.terminal.endLine)),
    ...(isCut ? [one(last, { to: toCol })] : []),
  ];
}

/** Gives lines their numbers in the session, which are found when they are requested. */
function numbered(output: OutputPart, stretch: Stretch): Stretch {
  return {
    count: stretch.count,
    texts: (from, to) => stretch.texts(from, to),
    part: (from, to) => numbered(output, stretch.part(from, to)),
    ...defined({
      grown: stretch.grown,
      unreadable: stretch.unreadable,
      isStyled: stretch.isStyled,
    }),
    bytes: stretch.bytes,
    get fromLine() {
      const by = output.shift();
      return by === null || stretch.fromLine === null ? null : stretch.fromLine + by;
    },
  };
}
