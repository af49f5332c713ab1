/**
 * Bounds on the files and functions of `src/`, in lines. Tests and generated files are not counted,
 * nor are functions without a body of statements: `(x) => x + 1` would only lower the median.
 */
export const bounds = {
  file: { median: 100, p95: 350 },
  function: { median: 10, p95: 40 },
};

/**
 * The number of splinters, by their greatest length in lines. A splinter is a short file that a single
 * file imports, so that nobody reads it alone. A door is not a splinter.
 */
export const splinters = [
  { lines: 40, atMost: 25 },
  { lines: 25, atMost: 8 },
];

/**
 * Flat tables and dispatches, which are long and simple, are not measured. An exception without a
 * `name` is for the file, one with it for that function.
 *
 * @typedef {{ path: string, name?: string, reason: string }} SizeException
 */

/** @type {readonly SizeException[]} */
export const exceptions = [];
