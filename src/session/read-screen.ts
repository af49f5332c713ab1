import {
  checkRenderFormat,
  type RenderFormat,
  type ScreenRequest,
  type ScreenSnapshot,
} from '#model';
import type { Terminal } from '#vt';

/** Reads the screen that is shown, in the words of the model. @throws VtrError INVALID_ARGUMENT */
export function readScreen(terminal: Terminal, request: ScreenRequest): ScreenSnapshot {
  const { revision, size, cursor, alternate, title, topLine } = terminal;
  const rows = renderers[checkRenderFormat(request.format ?? 'text')](terminal);
  return { revision, size, cursor, alternate, title, ...rows, topLine };
}

type Rows = Pick<ScreenSnapshot, 'text' | 'cells'>;

const renderers: Readonly<Record<RenderFormat, (terminal: Terminal) => Rows>> = {
  text: (terminal) => ({ text: terminal.screenText() }),
  ansi: (terminal) => ({ text: perRow(terminal, (row) => terminal.readRow(row).ansi()) }),
  cells: (terminal) => ({
    text: perRow(terminal, () => ''),
    cells: perRow(terminal, (row) => terminal.readRow(row).cells()),
  }),
};

function perRow<T>({ size }: Terminal, read: (row: number) => T): T[] {
  return Array.from({ length: size.rows }, (_, row) => read(row));
}
