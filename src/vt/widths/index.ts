export { clustersOf, textCells, textWidth } from '../cells/graphemes.ts';
export { unicodeVersion } from '../cells/width-table.gen.ts';
