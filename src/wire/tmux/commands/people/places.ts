import type { AttachedClient } from '../../state/attached-client.ts';
import { statusRows } from '../../state/default-size.ts';
import type { Target } from '../../target/target.ts';
import type { Arguments } from '../../words/arguments.ts';
import type { Call } from '../call.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

interface Place {
  readonly row: number;
  readonly col: number;
}

/** Whose terminal, and which pane a position is about. */
interface About {
  readonly client: AttachedClient;
  readonly target: Target;
}

/**
 * Returns where a menu or a popup of a size is: the flags `-x` and `-y`, which are a number, a format, or a letter for
 * the centre, the pane, the mouse, the window's name or the status line. It is inside of the terminal.
 */
export async function placeOf(
  call: Call,
  args: Arguments,
  { client, target }: About,
): Promise<(size: Size) => Place> {
  const { cols, rows, terminal, session } = client;
  const cell = target.pane.window.placeOf(target.pane);
  const status = statusRows(session.options);
  const isTop = status > 0 && session.options.text('status-position') === 'top';
  const offset = isTop ? status : 0;
  const lines = isTop ? [0, status] : [rows - status, rows];
  const [x = '', y = ''] = [
    await call.expand(args.value('x') ?? '', target),
    await call.expand(args.value('y') ?? '', target),
  ];
  const mouse = terminal?.mouse ?? null;
  const pane = { x: cell?.x ?? 0, y: (cell?.y ?? 0) + offset, rows: cell?.rows ?? rows };
  return (size) => {
    const columns: Readonly<Record<string, number>> = {
      '': ((cols - 1) >> 1) - (size.cols >> 1),
      C: ((cols - 1) >> 1) - (size.cols >> 1),
      R: pane.x + (cell?.cols ?? cols) - size.cols,
      P: pane.x,
      M: (mouse?.col ?? cols >> 1) - (size.cols >> 1),
      W: terminal?.columnOf(target.link) ?? 0,
    };
    // As in tmux, a row is that below the box.
    const bottoms: Readonly<Record<string, number>> = {
      '': ((rows - 1) >> 1) + (size.rows >> 1),
      C: ((rows - 1) >> 1) + (size.rows >> 1),
      P: pane.y + pane.rows,
      M: (mouse?.row ?? rows >> 1) + size.rows,
      S: isTop ? (lines[1] ?? 0) + size.rows : (lines[0] ?? rows),
      W: isTop ? (lines[1] ?? 0) + size.rows : (lines[0] ?? rows),
    };
    const col = columns[x] ?? (Number(x) || 0);
    const bottom = bottoms[y] ?? (Number(y) || 0);
    return {
      col: within(col, cols - size.cols),
      row: within(bottom - size.rows, rows - size.rows),
    };
  };
}

const within = (at: number, most: number): number => Math.max(0, Math.min(at, most));
