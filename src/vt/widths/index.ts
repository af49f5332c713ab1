export { clustersOf, textWidth } from '../cells/clusters.ts';
