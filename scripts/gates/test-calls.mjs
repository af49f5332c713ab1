import { Visitor } from 'oxc-parser';
import { listFiles, parseSource } from './source-files.mjs';

/** Functions that make a test or a group of tests: vitest's and those of test/support/run/needs.ts. */
const makers = new Set(['it', 'test', 'describe', 'suite', 'needs', 'provided']);

/**
 * A call that makes a test, e.g. `it.skipIf(cond)('title', ...)`.
 *
 * @typedef {object} TestCall
 * @property {string} maker e.g. `it`
 * @property {readonly string[]} modifiers e.g. `skipIf`, in order
 * @property {string} title its literal parts, without interpolated values
 * @property {readonly string[]} options names of the options object after the title, if any
 * @property {string} path
 * @property {number} line 1-based
 */

/**
 * The files that contain tests: those next to the sources, and all of `test`, because suites that
 * several test files share have other names.
 *
 * @param {string} root
 */
export const listTestFiles = (root) => [
  ...listFiles(root, ['src'], /\.test\.ts$/),
  ...listFiles(root, ['test'], /\.ts$/),
];

/**
 * @param {string} root
 * @param {string} path relative to `root`
 * @returns {TestCall[]} the calls that have a title
 */
export function testCallsOf(root, path) {
  const { program, lineOf } = parseSource(root, path);
  /** @type {TestCall[]} */
  const calls = [];
  new Visitor({
    CallExpression({ callee, arguments: [first, second], start }) {
      const chain = chainOf(callee);
      const title = first === undefined ? undefined : literalParts(first);
      if (chain === undefined || title === undefined) return;
      calls.push({ ...chain, title, options: optionNames(second), path, line: lineOf(start) });
    },
  }).visit(program);
  return calls;
}

/** @typedef {import('oxc-parser').Node} Node */

/**
 * `it`, `it.only`, `it.each([...])`, `it.each`...``, `needs('vim')` as maker and modifiers.
 * A call without a title, such as `needs('vim')`, is the callee of a call with one.
 *
 * @param {Node} node
 * @returns {{ maker: string, modifiers: string[] } | undefined}
 */
function chainOf(node) {
  if (node.type === 'Identifier') {
    return makers.has(node.name) ? { maker: node.name, modifiers: [] } : undefined;
  }
  if (node.type === 'CallExpression') return chainOf(node.callee);
  if (node.type === 'TaggedTemplateExpression') return chainOf(node.tag);
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return undefined;
  const chain = chainOf(node.object);
  return chain && { ...chain, modifiers: [...chain.modifiers, node.property.name] };
}

/**
 * @param {Node} node
 * @returns {string | undefined} undefined when the expression is not a string with a literal part
 */
function literalParts(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map((each) => each.value.raw).join('');
  if (node.type !== 'BinaryExpression') return undefined;
  const left = literalParts(node.left);
  const right = literalParts(node.right);
  return left === undefined && right === undefined ? undefined : `${left ?? ''}${right ?? ''}`;
}

/** @param {Node | undefined} node */
function optionNames(node) {
  if (node?.type !== 'ObjectExpression') return [];
  return node.properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? [property.key.name] : [],
  );
}
