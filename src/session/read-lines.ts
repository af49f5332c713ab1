import {
  type Line,
  type LineFormat,
  type LinesRead,
  type ReadLinesRequest,
  VtrError,
} from '#model';
import type { Reader, Terminal } from '#vt';

/** Reads lines by number, in the words of the model. @throws VtrError INVALID_ARGUMENT */
export function readLines(terminal: Terminal, request: ReadLinesRequest): LinesRead {
  const { revision, firstLine, topLine, endLine } = terminal;
  const from = checkLine('from', request.from ?? firstLine);
  const to = checkLine('to', request.to ?? endLine);
  const render = rendererOf(request.format ?? 'text');
  const lines: Line[] = [];
  for (const { line, reader } of terminal.readLines(from, to)) lines.push(render(line, reader));
  const dropped = Math.max(0, Math.min(to, firstLine) - from);
  return { revision, firstLine, topLine, endLine, dropped, lines };
}

type Renderer = (number: number, reader: Reader) => Line;

const renderers: Readonly<Record<LineFormat, Renderer>> = {
  text: (number, reader) => ({ number, text: reader.text() }),
  ansi: (number, reader) => ({ number, text: reader.ansi() }),
  cells: (number, reader) => ({ number, text: '', cells: reader.cells() }),
};

function rendererOf(format: LineFormat): Renderer {
  if (Object.hasOwn(renderers, format)) return renderers[format];
  const known = Object.keys(renderers).join(', ');
  throw new VtrError('INVALID_ARGUMENT', `format ${JSON.stringify(format)} is none of ${known}`);
}

function checkLine(name: string, line: number): number {
  if (Number.isInteger(line) && line >= 0) return line;
  throw new VtrError('INVALID_ARGUMENT', `${name} is ${line}; line numbers are 0, 1, 2 and so on`);
}
