/**
 * How a case is recorded. It is kept in the case, so that it can be recorded again.
 *
 * @typedef {object} Recipe
 * @property {string} about what the case shows
 * @property {import('#model').Size} size
 * @property {string} [setup] run by sh in the folder that the program then runs in
 * @property {string[]} program with its arguments
 * @property {string[]} keys typed one group after the other, each when the program has gone quiet
 */

/**
 * @typedef {import('./view.mjs').View & { offset: number, after: string }} Checkpoint what is shown
 *   when `offset` bytes have been fed; `after` says what was typed before, empty for the start
 */

/**
 * A file of test/golden/cases; the bytes lie beside it.
 *
 * @typedef {Recipe & {
 *   recorded: string,
 *   checkpoints: Checkpoint[],
 *   accepted?: { reason: string, differences: string[] },
 * }} GoldenCase
 */

export {};
