import {
  checkLine,
  checkRenderFormat,
  type Line,
  type LinesRead,
  type ReadLinesRequest,
  type RenderFormat,
} from '#model';
import type { Reader, Terminal } from '#vt';

/** Reads lines by number, in the words of the model. @throws VtrError INVALID_ARGUMENT */
export function readLines(terminal: Terminal, request: ReadLinesRequest): LinesRead {
  const { revision, firstLine, topLine, endLine } = terminal;
  const from = checkLine('from', request.from ?? firstLine);
  const to = checkLine('to', request.to ?? endLine);
  const render = renderers[checkRenderFormat(request.format ?? 'text')];
  const lines: Line[] = [];
  for (const { line, reader } of terminal.readLines(from, to)) lines.push(render(line, reader));
  const dropped = Math.max(0, Math.min(to, firstLine) - from);
  return { revision, firstLine, topLine, endLine, dropped, lines };
}

type Renderer = (number: number, reader: Reader) => Line;

const renderers: Readonly<Record<RenderFormat, Renderer>> = {
  text: (number, reader) => ({ number, text: reader.text() }),
  ansi: (number, reader) => ({ number, text: reader.ansi() }),
  cells: (number, reader) => ({ number, text: '', cells: reader.cells() }),
};
