import { parseArgs } from 'node:util';

export interface Arguments {
  /** Empty for all. */
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly write: boolean;
}

const usage = `usage: npm run bench -- [names...] [--quick] [--json] [--write]

  names    which benchmarks; all where none is named
  --quick  one round of little: shows that they run, and measures nothing
  --json   JSON in the place of tables
  --write  put the tables into docs/performance.md
`;

/** @throws Error with the usage, for what is no option and for options that contradict each other */
export function parseArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    if (values.quick && values.write) throw new Error('--quick measures nothing to be kept');
    return { ...values, names: positionals };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${usage}`);
  }
}
