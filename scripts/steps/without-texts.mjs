import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The functions that define rows of the engine's tables, and which of their arguments are texts. */
const definers = new Map(
  Object.entries({
    c0: [1, 2],
    esc: [1, 2],
    csi: [1, 2],
    dcs: [1, 2],
    osc: [1],
    when: [1],
    flag: [1, 2],
    tracking: [1, 2],
    encoding: [1, 2],
    screen: [1, 2],
    storedOnly: [1, 2],
    fixed: [1, 2],
    sets: [1],
    clears: [1],
    underlines: [1],
  }),
);

/** Properties of rows that are texts. */
const properties = ['mnemonic', 'meaning'];

/**
 * Empties the texts in the tables of the engine: only docs/sequences.md and tests read them, and bundles are smaller
 * without them.
 *
 * @type {import('esbuild').Plugin}
 */
export const withoutTexts = {
  name: 'without-texts',
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/]vt[\\/](functions[\\/].*|style[\\/]sgr-values)\.[jt]s$/ },
      async ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const texts = await textsIn(path, source);
        const contents = texts.reduceRight(
          (text, { start, end }) => `${text.slice(0, start)}''${text.slice(end)}`,
          source,
        );
        return { contents, loader: extname(path) === '.ts' ? 'ts' : 'js' };
      },
    );
  },
};

/** @typedef {import('oxc-parser').Node} Node */

/**
 * Returns the texts in a source, in order.
 *
 * @param {string} path
 * @param {string} source
 */
async function textsIn(path, source) {
  // Set-up imports this file before packages are installed.
  const { parseSync, Visitor } = await import('oxc-parser');
  /** @type {Node[]} */
  const nodes = [];
  new Visitor({
    CallExpression({ callee, arguments: values }) {
      const places = (callee.type === 'Identifier' && definers.get(callee.name)) || [];
      for (const place of places) if (isText(values[place])) nodes.push(values[place]);
    },
    Property({ key, value }) {
      const isNamed = key.type === 'Identifier' && properties.includes(key.name);
      if (isNamed && isText(value)) nodes.push(value);
    },
  }).visit(parseSync(path, source).program);
  return nodes.sort((one, other) => one.start - other.start);
}

/** @param {Node | undefined} node */
const isText = (node) =>
  node?.type === 'TemplateLiteral' || (node?.type === 'Literal' && typeof node.value === 'string');
