import { parseArgs } from 'node:util';

export interface Arguments {
  /** Empty for all. */
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly write: boolean;
}

const usage = `usage: npm run bench -- [NAME...] [--quick] [--json] [--write]

  NAME     a benchmark; default: all
  --quick  one short round: checks that they run; the figures mean nothing
  --json   print JSON in place of tables
  --write  write the tables to docs/performance.md
`;

/** @throws Error with the usage for unknown or contradictory options */
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
