import { isMet, type Report, type Table, type TableCell, type Target } from './report.ts';

/** Three digits or so: what is measured is not known better. */
export function shown(cell: TableCell): string {
  if (cell === null) return '–';
  if (typeof cell === 'string') return cell;
  const size = Math.abs(cell);
  return cell.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** All tables of a report, its targets as the last one. */
export function tablesOf({ tables, targets }: Report): readonly Table[] {
  if (targets.length === 0) return tables;
  const columns = ['figure', 'measured', 'target', 'met', 'next target', 'met'];
  return [...tables, { columns, rows: targets.map(targetRow) }];
}

function targetRow({ what, bound, measured, goal, next }: Target): TableCell[] {
  const bar = (value: number | null): TableCell[] =>
    value === null
      ? [null, null]
      : [`${bound} ${value}`, isMet(bound, measured, value) ? 'yes' : 'no'];
  return [what, measured, ...bar(goal), ...bar(next)];
}
