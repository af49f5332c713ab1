/**
 * After how many bytes of its bytecode V8 optimises a function, in Node 20. By V8's own number, 67,584, the functions
 * through which a key passes are not optimised in the first thousand keys.
 */
const budgetBytes = 20_000;

/** The same for a process that has started: less would add a quarter to the CPU time of the start of a daemon. */
const startedBytes = 5_000;

/**
 * Returns the flags of V8 for processes that pass on what people type: their functions are optimised soon. V8 12 and
 * later have another compiler for such functions, and no such flag.
 *
 * @param v8 its version, `process.versions.v8`
 */
export const earlyCode = (v8: string): readonly string[] => budgetFlags(v8, budgetBytes);

/** As {@link earlyCode}, for flags that are set once the process has started. */
export const lateCode = (v8: string): readonly string[] => budgetFlags(v8, startedBytes);

const budgetFlags = (v8: string, bytes: number): readonly string[] =>
  Number.parseInt(v8, 10) < 12 ? [`--interrupt-budget=${bytes}`] : [];
