export { clustersOf, textWidth } from '../cells/clusters.ts';
export { unicodeVersion } from '../cells/width-table.gen.ts';
