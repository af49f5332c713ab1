import type { OutputPosition } from '#model';
import type { Terminal } from '#vt';

/** More lines than anybody types. */
const maxLines = 1_000;

/**
 * The text of the primary screen and the scrollback from one place up to another, with line feeds
 * between lines and without spaces at their ends; null where not all of it is kept.
 */
export function textBetween(
  terminal: Terminal,
  from: OutputPosition,
  to: OutputPosition,
): string | null {
  if (from.line === null || to.line === null || from.line < terminal.firstLine) return null;
  if (to.line - from.line > maxLines) return null;
  const lines: string[] = [];
  for (const { line, reader } of terminal.readLines(from.line, to.line + 1)) {
    const start = line === from.line ? from.col : 0;
    const end = line === to.line ? to.col : Number.POSITIVE_INFINITY;
    lines.push(reader.text(start, end).trimEnd());
  }
  return lines.join('\n');
}
