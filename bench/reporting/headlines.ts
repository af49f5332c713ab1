import type { Headline } from './report.ts';

const shown = (ratio: number): string => ratio.toFixed(ratio >= 10 ? 0 : ratio >= 3 ? 1 : 2);

/** Whether vtr is slower or larger than the contestant. */
export const isBehind = ({ ratio }: Headline): boolean => ratio < 1;

/** What vtr is in comparison, such as `2.94 times as fast`. */
export function resultOf({ ratio, of, besides }: Headline): string {
  const result = of === 'time' ? speed(ratio) : size(ratio);
  return besides === undefined ? result : `${result}; ${besides}`;
}

const speed = (ratio: number): string =>
  ratio >= 1 ? `${shown(ratio)} times as fast` : `takes ${shown(1 / ratio)} times as long`;

const size = (ratio: number): string =>
  ratio >= 1 ? `${shown(ratio)} times smaller` : `${shown(1 / ratio)} times the size`;
