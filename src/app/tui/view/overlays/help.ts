import { keyText } from '#keys';
import { keyLabel, leaderKeys, leaderLabel } from '../leader-keys.ts';
import { bold, plain, type Row, type Span, textRow } from '../picture/row-cells.ts';
import { scrollKeys } from '../scroll/scroll-keys.ts';
import type { ViewState } from '../view-state.ts';

/** Columns of the keys. */
const keyCols = 22;

/** Returns all rows of the help. */
export function helpRows({ leader, window: { cols } }: ViewState): readonly Row[] {
  const row = (...spans: Span[]) => textRow(spans, cols);
  const described = (keys: string, does: string) =>
    row({ text: `  ${keys.padEnd(keyCols)}`, style: bold }, { text: does, style: plain });
  const rows: Row[] = [];
  if (leader === null) {
    rows.push(row({ text: ' All keys go to the program (--leader none).', style: plain }));
  } else {
    const name = keyLabel(keyText(leader));
    rows.push(row({ text: ` After ${name}`, style: bold }));
    for (const { keys, does } of leaderKeys) {
      if (does !== '') rows.push(described(leaderLabel(leader, keys[0] ?? ''), does));
    }
  }
  rows.push(row(), row({ text: ' While scrolling', style: bold }));
  for (const { keys, does } of scrollKeys) {
    const free = keys.filter((key) => leader === null || key !== keyText(leader));
    if (does !== '') rows.push(described(free.map(keyLabel).join(' '), does));
  }
  return rows;
}
