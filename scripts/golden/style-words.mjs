/**
 * Describes a style: `bold fg=1 underline=curly`, or `plain` when all is default. Flags come before
 * values; both are in alphabetical order.
 *
 * @param {object} style with `true` or a value for each attribute that is not default
 */
export function styleWords(style) {
  /** @type {string[]} */
  const on = [];
  /** @type {string[]} */
  const values = [];
  for (const [name, value] of Object.entries(style)) {
    if (value === true) on.push(name);
    else if (value !== false && value !== null && value !== 'none') values.push(`${name}=${value}`);
  }
  return [...on.sort(), ...values.sort()].join(' ') || 'plain';
}

/**
 * The styles of a row as runs, `column length words`, without plain runs: `0 4 bold fg=2; 9 1 bg=4`.
 *
 * @param {readonly string[]} words of each cell
 */
export function styleRuns(words) {
  /** @type {string[]} */
  const runs = [];
  for (let from = 0; from < words.length; ) {
    let to = from + 1;
    while (to < words.length && words[to] === words[from]) to++;
    if (words[from] !== 'plain') runs.push(`${from} ${to - from} ${words[from]}`);
    from = to;
  }
  return runs.join('; ');
}
