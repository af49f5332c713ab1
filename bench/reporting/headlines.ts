const shown = (ratio: number): string => ratio.toFixed(ratio >= 10 ? 0 : ratio >= 3 ? 1 : 2);

/** @param ratio of their time to ours */
export const speed = (ratio: number): string =>
  ratio >= 1 ? `${shown(ratio)} times as fast` : `slower: takes ${shown(1 / ratio)} times as long`;

/** @param ratio of their size to ours */
export const size = (ratio: number): string =>
  ratio >= 1 ? `${shown(ratio)} times smaller` : `larger: ${shown(1 / ratio)} times the size`;
