import type { KeyMode } from '#keys';
import { bold, plain, type Row, textRow } from '../picture/row-cells.ts';
import type { ViewState } from '../view-state.ts';

/** Columns of the keys. */
const keyCols = 22;

/** Returns all rows of the help. */
export function helpRows({ keys, window: { cols } }: ViewState): readonly Row[] {
  const title = (text: string) => textRow([{ text: ` ${text}`, style: bold }], cols);
  const rowsOf = (mode: KeyMode) =>
    keys.help(mode).map(({ keys: names, does }) =>
      textRow(
        [
          { text: `  ${names.padEnd(keyCols)}`, style: bold },
          { text: does, style: plain },
        ],
        cols,
      ),
    );
  const leading =
    keys.leader === null
      ? [textRow([{ text: ' All keys go to the program (--leader none).', style: plain }], cols)]
      : [title(`After ${keys.leaderLabel}`), ...rowsOf('attach')];
  const blank = textRow([], cols);
  return [
    ...[...leading, blank],
    ...[title('While scrolling'), ...rowsOf('scroll'), blank],
    ...[title('After the program has ended'), ...rowsOf('ended'), blank],
    ...[title('In the lines found in all sessions'), ...rowsOf('results')],
  ];
}
