/**
 * Bounds on the files and functions of `src/`, and on the files of tests, in lines. Generated files are not counted,
 * nor are functions without a body of statements: `(x) => x + 1` would only lower the median.
 */
export const bounds = {
  file: { median: 200, p95: 450, longest: 600 },
  function: { median: 10, p95: 40, longest: Number.POSITIVE_INFINITY },
  'test file': {
    median: Number.POSITIVE_INFINITY,
    p95: Number.POSITIVE_INFINITY,
    longest: 600,
  },
};

/**
 * A splinter is a file of at most so many lines that a single file uses, so that nobody reads it alone. Few
 * splinters have a reason; many are a habit. So the gate bounds their share of all files, far from what it is: no
 * single file fails it. A door is not a splinter, nor is a file that is loaded on demand, or named in a registry.
 */
export const splinters = { lines: 60, share: 0.05 };

/**
 * Files that gather what each of their directory's files declares, of which one more is a row. What only they
 * import is not a splinter.
 */
export const registries = [
  'src/app/cli/verbs/index.ts',
  'src/vt/functions/index.ts',
  'src/vt/functions/osc.ts',
  'src/wire/mcp/tools/index.ts',
  'src/wire/service/server/handlers/handlers.ts',
  'src/wire/tmux/registry.ts',
];
