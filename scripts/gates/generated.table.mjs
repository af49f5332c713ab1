/**
 * What is generated and committed. A generator is a script that prints its one file to stdout and
 * touches nothing: `npm run generate` writes it down, the gate `generated` compares.
 *
 * @typedef {object} Generator
 * @property {string} script relative to the root, run by Node
 * @property {string} output relative to the root
 */

/** @type {readonly Generator[]} */
export const generators = [
  { script: 'scripts/generate-errors.mjs', output: 'docs/errors.md' },
  { script: 'scripts/generate-grapheme-table.mjs', output: 'src/vt/grapheme-table.gen.ts' },
  { script: 'scripts/generate-sequences.mjs', output: 'docs/sequences.md' },
  { script: 'scripts/generate-version.mjs', output: 'src/model/version.gen.ts' },
  { script: 'scripts/generate-width-table.mjs', output: 'src/vt/width-table.gen.ts' },
];
