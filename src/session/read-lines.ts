import { type Line, type LinesRead, type ReadLinesRequest, VtrError } from '#model';
import type { Reader, Terminal } from '#vt';

/** Reads lines by number, in the words of the model. @throws VtrError INVALID_ARGUMENT */
export function readLines(terminal: Terminal, request: ReadLinesRequest): LinesRead {
  const { revision, firstLine, topLine, endLine } = terminal;
  const from = checkLine('from', request.from ?? firstLine);
  const to = checkLine('to', request.to ?? endLine);
  const format = request.format ?? 'text';
  const lines: Line[] = [];
  for (const { line, reader } of terminal.readLines(from, to)) {
    lines.push(render(line, reader, format));
  }
  const dropped = Math.max(0, Math.min(to, firstLine) - from);
  return { revision, firstLine, topLine, endLine, dropped, lines };
}

function render(number: number, reader: Reader, format: string): Line {
  switch (format) {
    case 'cells':
      return { number, text: '', cells: reader.cells() };
    case 'ansi':
      return { number, text: reader.ansi() };
    case 'text':
      return { number, text: reader.text() };
    default:
      throw new VtrError('INVALID_ARGUMENT', `format ${format} is none of text, ansi, cells`);
  }
}

function checkLine(name: string, line: number): number {
  if (Number.isInteger(line) && line >= 0) return line;
  throw new VtrError('INVALID_ARGUMENT', `${name} is ${line}; line numbers are 0, 1, 2 and so on`);
}
