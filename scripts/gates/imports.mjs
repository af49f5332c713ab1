import { Visitor } from 'oxc-parser';

/**
 * One place where a file names another module.
 *
 * @typedef {object} Import
 * @property {string | null} specifier null when it is computed at run time
 * @property {boolean} dynamic by `import()`, which loads the module when it runs
 * @property {number} line 1-based
 */

/**
 * Returns every import of a file in any form: static, type-only, re-export, `import()`,
 * `import type x = require()`, `import('x').Type`, `require()` and `require.resolve()`.
 *
 * @param {import('./source-files.mjs').Source} source
 * @returns {Import[]}
 */
export function importsOf({ program, lineOf }) {
  /** @type {Import[]} */
  const imports = [];
  const add = (/** @type {unknown} */ node, /** @type {number} */ start, dynamic = false) =>
    imports.push({ specifier: literal(node), dynamic, line: lineOf(start) });

  new Visitor({
    ImportDeclaration: ({ source, start }) => add(source, start),
    ExportAllDeclaration: ({ source, start }) => add(source, start),
    ExportNamedDeclaration: ({ source, start }) => {
      if (source !== null) add(source, start);
    },
    ImportExpression: ({ source, start }) => add(source, start, true),
    TSImportType: ({ source, start }) => add(source, start),
    TSExternalModuleReference: ({ expression, start }) => add(expression, start),
    CallExpression: ({ callee, arguments: [first], start }) => {
      if (isRequire(callee)) add(first, start);
    },
  }).visit(program);
  return imports;
}

/** @param {unknown} node */
function literal(node) {
  const { type, value } = /** @type {{ type?: string, value?: unknown }} */ (node ?? {});
  return type === 'Literal' && typeof value === 'string' ? value : null;
}

/**
 * @param {import('oxc-parser').Node} callee
 * @returns {boolean}
 */
function isRequire(callee) {
  if (callee.type === 'MemberExpression') {
    return (
      isRequire(callee.object) &&
      callee.property.type === 'Identifier' &&
      callee.property.name === 'resolve'
    );
  }
  return callee.type === 'Identifier' && callee.name === 'require';
}
