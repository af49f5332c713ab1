/**
 * The recipe of a recording. The case contains it, so that the case can be recorded again.
 *
 * @typedef {object} Recipe
 * @property {string} about the subject of the case
 * @property {import('#model').Size} size
 * @property {string} [setup] a script that sh runs first, in the directory of the program
 * @property {string[]} program with its arguments
 * @property {string[]} keys groups of keys, each typed once the program is quiet
 */

/**
 * @typedef {import('./view.mjs').View & { offset: number, after: string }} Checkpoint the
 *   screen after `offset` bytes of output; `after` is the group of keys before it, empty at the start
 */

/**
 * A file of test/golden/cases; the output is in a file next to it.
 *
 * @typedef {Recipe & {
 *   recorded: string,
 *   checkpoints: Checkpoint[],
 *   accepted?: { reason: string, differences: string[] },
 * }} GoldenCase
 */

export {};
