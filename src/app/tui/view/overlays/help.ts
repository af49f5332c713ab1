import { keyText } from '#keys';
import { type KeyMode, keyHelp, keyLabel } from '../../keys.ts';
import { bold, plain, type Row, textRow } from '../picture/row-cells.ts';
import type { ViewState } from '../view-state.ts';

/** Columns of the keys. */
const keyCols = 22;

/** Returns all rows of the help. */
export function helpRows({ leader, window: { cols } }: ViewState): readonly Row[] {
  const title = (text: string) => textRow([{ text: ` ${text}`, style: bold }], cols);
  const rowsOf = (mode: KeyMode) =>
    keyHelp(mode, leader).map(({ keys, does }) =>
      textRow(
        [
          { text: `  ${keys.padEnd(keyCols)}`, style: bold },
          { text: does, style: plain },
        ],
        cols,
      ),
    );
  const leading =
    leader === null
      ? [textRow([{ text: ' All keys go to the program (--leader none).', style: plain }], cols)]
      : [title(`After ${keyLabel(keyText(leader))}`), ...rowsOf('leader')];
  const blank = textRow([], cols);
  return [
    ...[...leading, blank],
    ...[title('While scrolling'), ...rowsOf('scroll'), blank],
    ...[title('After the program has ended'), ...rowsOf('ended')],
  ];
}
