/**
 * What is generated and committed. Each generator is a script that writes its outputs below the
 * repository, or below another folder when called with `--out <folder>`; nothing else.
 * scripts/generated-file.mjs does that part for it.
 *
 * @typedef {object} Generator
 * @property {string} script relative to the root, run by Node
 * @property {readonly string[]} outputs relative to the root
 */

/** @type {readonly Generator[]} */
export const generators = [{ script: 'scripts/generate-errors.mjs', outputs: ['docs/errors.md'] }];
