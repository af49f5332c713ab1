import { Visitor } from 'oxc-parser';
import { counted, runWhenMain } from './gate.mjs';
import { listFiles, parseSource } from './source-files.mjs';

/** @typedef {import('oxc-parser').Node} Node */
/** @typedef {import('./source-files.mjs').Source} Source */

/**
 * @typedef {object} Idiom
 * @property {string} say what to write instead
 * @property {(path: string) => boolean} holdsIn
 * @property {(source: Source) => readonly Node[]} find what is written in another way
 */

/** @type {readonly Idiom[]} */
const forms = [
  {
    say: 'write the properties in the literal, not in one that is spread into it',
    holdsIn: () => true,
    find: (source) =>
      spreadsIn(source).filter((node) => inner(node.argument).type === 'ObjectExpression'),
  },
];

/** @type {import('./gate.mjs').Gate} */
export const idioms = {
  name: 'idioms',
  holds: 'what the house has one form for is written in that form',
  async run(root) {
    const paths = listFiles(root, ['src', 'test', 'scripts', 'bench'], /\.(tsx?|mjs)$/).filter(
      (path) => !/\.gen\.ts$|\.d\.ts$|^test\/golden\/cases/.test(path),
    );
    const problems = paths.flatMap((path) => {
      const held = forms.filter(({ holdsIn }) => holdsIn(path));
      const source = parseSource(root, path);
      return held.flatMap(({ say, find }) =>
        find(source).map(({ start }) => `${path}:${source.lineOf(start)}: ${say}`),
      );
    });
    if (paths.length === 0) problems.push('saw no file');
    return { seen: counted(paths.length, 'file'), problems };
  },
};

/**
 * Spreads into object literals.
 *
 * @param {Source} source
 */
function spreadsIn({ program }) {
  /** @type {import('oxc-parser').SpreadElement[]} */
  const found = [];
  new Visitor({
    ObjectExpression({ properties }) {
      for (const each of properties) if (each.type === 'SpreadElement') found.push(each);
    },
  }).visit(program);
  return found;
}

/**
 * @param {Node} node
 * @returns {Node} the node without parentheses
 */
const inner = (node) => (node.type === 'ParenthesizedExpression' ? inner(node.expression) : node);

await runWhenMain(import.meta.url, idioms);
