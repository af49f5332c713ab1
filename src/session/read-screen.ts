import { checkRenderFormat, type ScreenRequest, type ScreenSnapshot } from '#model';
import type { ScreenCells, Terminal } from '#vt';

/**
 * Reads the screen that is shown, in the words of the model. As cells, rows that have not changed since
 * the last read are the same objects as then, if somebody has kept them: who follows a screen pays for
 * what changes on it.
 */
export class ScreenReader {
  readonly #terminal: Terminal;
  #cells: { readonly revision: number; readonly rows: WeakRef<ScreenCells['rows']> } | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  read(request: ScreenRequest): ScreenSnapshot {
    const { revision, size, cursor, alternate, title, topLine } = this.#terminal;
    const rows = this.#rows(request);
    return { revision, size, cursor, alternate, title, ...rows, topLine };
  }

  #rows({ format = 'text' }: ScreenRequest): Pick<ScreenSnapshot, 'text' | 'cells'> {
    const terminal = this.#terminal;
    switch (checkRenderFormat(format)) {
      case 'text':
        return { text: terminal.screenText() };
      case 'ansi':
        return { text: perRow(terminal, (row) => terminal.readRow(row).ansi()) };
      case 'cells':
        return { text: perRow(terminal, () => ''), cells: this.#readCells() };
    }
  }

  #readCells(): ScreenCells['rows'] {
    const rows = this.#cells?.rows.deref();
    const before = this.#cells === null || rows === undefined ? null : { ...this.#cells, rows };
    const cells = this.#terminal.screenCells(before);
    this.#cells = { revision: cells.revision, rows: new WeakRef(cells.rows) };
    return cells.rows;
  }
}

function perRow<T>({ size }: Terminal, read: (row: number) => T): T[] {
  return Array.from({ length: size.rows }, (_, row) => read(row));
}
