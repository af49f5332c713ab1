import { Visitor } from 'oxc-parser';

/** @typedef {import('oxc-parser').Node} Node */

/**
 * @typedef {object} MeasuredFunction
 * @property {string} name empty when it has none
 * @property {number} line of its start, 1-based
 * @property {number} lines its length
 */

/**
 * Returns every function with a body of statements: declarations, methods, accessors, function
 * expressions and arrow functions with braces.
 *
 * @param {import('./source-files.mjs').Source} source
 * @returns {MeasuredFunction[]}
 */
export function functionsOf({ program, lineOf }) {
  /** @type {Map<number, string>} */
  const names = new Map();
  /** @type {MeasuredFunction[]} */
  const functions = [];
  const name = (/** @type {Node | null} */ holder, /** @type {Node | null} */ value) => {
    if (holder === null || value === null) return;
    if (holder.type === 'Identifier' || holder.type === 'PrivateIdentifier') {
      names.set(value.start, holder.name);
    }
  };
  const measure = (/** @type {Node} */ node, own = '') => {
    const line = lineOf(node.start);
    const lines = lineOf(node.end) - line + 1;
    functions.push({ name: own || (names.get(node.start) ?? ''), line, lines });
  };
  // Parents are visited before their children, so a name is known before its function.
  new Visitor({
    VariableDeclarator: ({ id, init }) => name(id, init),
    MethodDefinition: ({ key, value }) => name(key, value),
    PropertyDefinition: ({ key, value }) => name(key, value),
    Property: ({ key, value }) => name(key, value),
    FunctionDeclaration: (node) => measure(node, node.id?.name),
    FunctionExpression: (node) => {
      if (node.body !== null) measure(node);
    },
    ArrowFunctionExpression: (node) => {
      if (!node.expression) measure(node);
    },
  }).visit(program);
  return functions;
}
