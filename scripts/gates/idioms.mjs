import { Visitor } from 'oxc-parser';
import { counted, runWhenMain } from './gate.mjs';
import { roomTable } from './rooms.table.mjs';
import { listFiles, parseSource } from './source-files.mjs';

/** @typedef {import('oxc-parser').Node} Node */
/** @typedef {import('./source-files.mjs').Source} Source */

/**
 * @typedef {object} Idiom
 * @property {string} say what to write instead
 * @property {(path: string) => boolean} holdsIn
 * @property {(source: Source) => readonly Node[]} find what is written in another way
 */

/** Whether a file may import `#base`. @param {string} path */
const opensBase = (path) => {
  if (!path.startsWith('src/')) return path.startsWith('test/');
  const room = roomTable.find(({ name }) => path.startsWith(`src/${name}/`));
  return room !== undefined && (room.name === 'base' || room.opens.includes('base'));
};
/**
 * Files in which null is a value of a field, which defined() would leave out.
 *
 * @type {ReadonlySet<string>}
 */
const withNulls = new Set([
  'src/app/cli/verbs/grep.ts',
  'src/session/activity.ts',
  'src/wire/mcp/http/serve-on-http.ts',
]);

/**
 * Participles that say what happened to a thing, not what it is. A name that a field already has, as in `{ sent }`, is
 * the field's.
 */
const participles = new Set([
  'asked',
  'found',
  'given',
  'held',
  'kept',
  'known',
  'made',
  'seen',
  'sent',
  'told',
  'wanted',
]);

/** Fields of formats that other versions of vtr read and write: file and name. */
const savedFields = new Set(['src/pty/port.ts seen', 'src/session/output/command-outputs.ts kept']);

/** A class that would copy more of its parts keeps them. */
const mostCopies = 4;

/** @type {readonly Idiom[]} */
const forms = [
  {
    say: 'write the properties in the literal, not in one that is spread into it',
    holdsIn: () => true,
    find: (source) =>
      spreadsIn(source).filter((node) => inner(node.argument).type === 'ObjectExpression'),
  },
  {
    say: 'write the arguments in the call, not in an array that is spread into it',
    holdsIn: () => true,
    find: spreadArguments,
  },
  {
    say: 'write ...defined({ ... }) for fields that are left out without a value',
    holdsIn: (path) => opensBase(path) && !withNulls.has(path),
    find: (source) =>
      spreadsIn(source).filter((node) => isPlainQuestion(inner(node.argument), source)),
  },
  {
    say: 'keep the object of the parts, this.#parts, instead of copies of its fields',
    holdsIn: (path) => path.startsWith('src/') && !path.startsWith('src/vt/'),
    find: copyingClasses,
  },
  {
    say: "write ignored(promise, 'why') for a failure without consequence",
    holdsIn: opensBase,
    find: ignoringCalls,
  },
  {
    say: 'name the thing, not what happened to it',
    holdsIn: () => true,
    find: participleNames,
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
      const fileForms = forms.filter(({ holdsIn }) => holdsIn(path));
      const source = parseSource(root, path);
      return fileForms.flatMap(({ say, find }) =>
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
  const spreads = [];
  new Visitor({
    ObjectExpression({ properties }) {
      for (const each of properties) if (each.type === 'SpreadElement') spreads.push(each);
    },
  }).visit(program);
  return spreads;
}

/**
 * Arguments of calls that are spread from `[...] as const`.
 *
 * @param {Source} source
 */
function spreadArguments({ program }) {
  /** @type {Node[]} */
  const nodes = [];
  const visit = (/** @type {{ arguments: readonly Node[] }} */ call) => {
    for (const each of call.arguments) {
      const argument = each.type === 'SpreadElement' ? inner(each.argument) : each;
      const isConst = argument !== each && argument.type === 'TSAsExpression';
      if (isConst && argument.expression.type === 'ArrayExpression') nodes.push(each);
    }
  };
  new Visitor({ CallExpression: visit, NewExpression: visit }).visit(program);
  return nodes;
}

/**
 * @param {Node} node
 * @returns {Node} the node without parentheses
 */
const inner = (node) => (node.type === 'ParenthesizedExpression' ? inner(node.expression) : node);

/**
 * Whether an expression is `a === undefined ? {} : { a }` or another form of it.
 *
 * @param {Node} node
 * @param {Source} source
 */
function isPlainQuestion(node, { text }) {
  if (node.type !== 'ConditionalExpression' && node.type !== 'LogicalExpression') return false;
  if (node.type === 'LogicalExpression' && node.operator !== '&&') return false;
  const branches =
    node.type === 'LogicalExpression' ? [node.right] : [node.consequent, node.alternate];
  const fields = branches
    .map(inner)
    .flatMap((each) => (each.type === 'ObjectExpression' ? each.properties : [null]));
  const [field] = fields;
  if (fields.length !== 1 || field?.type !== 'Property' || field.computed) return false;
  const test = inner(node.type === 'LogicalExpression' ? node.left : node.test);
  const isAbsence =
    test.type === 'BinaryExpression' && ['undefined', 'null'].includes(textOf(test.right, text));
  const subject = isAbsence ? test.left : test;
  return textOf(subject, text) === textOf(field.value, text);
}

/**
 * @param {Node} node
 * @param {string} text
 */
const textOf = ({ start, end }, text) => text.slice(start, end);

/**
 * Classes whose constructor copies more fields of an object into private fields than it may.
 *
 * @param {Source} source
 */
function copyingClasses({ program, text }) {
  /** @type {Node[]} */
  const nodes = [];
  new Visitor({
    MethodDefinition(node) {
      const { body, params } = node.value;
      if (node.kind !== 'constructor' || body === null) return;
      const copies = body.body.filter((each) => isCopy(each, params, text));
      if (copies.length > mostCopies) nodes.push(node);
    },
  }).visit(program);
  return nodes;
}

/**
 * Whether a statement is `this.#name = parts.name`, or `this.#name = name` for a parameter `{ name }`.
 *
 * @param {Node} statement
 * @param {readonly Node[]} params
 * @param {string} text
 */
function isCopy(statement, params, text) {
  if (statement.type !== 'ExpressionStatement') return false;
  const { expression } = statement;
  if (expression.type !== 'AssignmentExpression') return false;
  const { left, right } = expression;
  if (left.type !== 'MemberExpression' || left.object.type !== 'ThisExpression') return false;
  if (left.property.type !== 'PrivateIdentifier') return false;
  if (right.type === 'MemberExpression' && right.object.type === 'Identifier') {
    const { name } = right.object;
    return params.some((each) => each.type === 'Identifier' && each.name === name);
  }
  return (
    right.type === 'Identifier' &&
    params.some(
      (each) =>
        each.type === 'ObjectPattern' &&
        each.properties.some(
          (one) =>
            one.type === 'Property' && one.value !== null && textOf(one.value, text) === right.name,
        ),
    )
  );
}

/**
 * Calls of `catch` with a function that does nothing.
 *
 * @param {Source} source
 */
function ignoringCalls({ path, program }) {
  /** @type {Node[]} */
  const nodes = [];
  if (path.endsWith('.mjs')) return nodes;
  new Visitor({
    CallExpression(node) {
      const { callee, arguments: args } = node;
      const [handler] = args;
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (callee.property.name !== 'catch' || args.length !== 1) return;
      if (handler?.type !== 'ArrowFunctionExpression' || handler.params.length > 0) return;
      if (handler.body?.type === 'BlockStatement' && handler.body.body.length === 0)
        nodes.push(node);
    },
  }).visit(program);
  return nodes;
}

/**
 * Names of variables, parameters, functions, fields and methods that are participles.
 *
 * @param {Source} source
 */
function participleNames({ program, path }) {
  /** @type {Node[]} */
  const nodes = [];
  const visit = (/** @type {Node | null} */ pattern) => {
    if (pattern === null) return;
    if (pattern.type === 'Identifier' || pattern.type === 'PrivateIdentifier') {
      if (participles.has(pattern.name)) nodes.push(pattern);
    } else if (pattern.type === 'ArrayPattern') pattern.elements.forEach(visit);
    else if (pattern.type === 'AssignmentPattern') visit(pattern.left);
    else if (pattern.type === 'RestElement') visit(pattern.argument);
    else if (pattern.type === 'ObjectPattern') {
      for (const each of pattern.properties) {
        if (each.type === 'RestElement') visit(each);
        else if (!each.shorthand) visit(each.value);
      }
    }
  };
  const visitAll = (/** @type {{ params: readonly Node[] }} */ { params }) => params.forEach(visit);
  const visitFunction = (
    /** @type {{ id: Node | null, params: readonly Node[] }} */ { id, params },
  ) => {
    visit(id);
    params.forEach(visit);
  };
  const visitKey = (/** @type {{ key: Node }} */ { key }) => {
    if (key.type === 'PrivateIdentifier') visit(key);
    else if (key.type === 'Identifier' && !savedFields.has(`${path} ${key.name}`)) visit(key);
  };
  new Visitor({
    VariableDeclarator: ({ id }) => visit(id),
    CatchClause: ({ param }) => visit(param),
    FunctionDeclaration: visitFunction,
    TSDeclareFunction: visitFunction,
    FunctionExpression: visitAll,
    ArrowFunctionExpression: visitAll,
    TSFunctionType: visitAll,
    TSMethodSignature: (signature) => {
      visitAll(signature);
      visitKey(signature);
    },
    TSPropertySignature: visitKey,
    PropertyDefinition: visitKey,
    MethodDefinition: visitKey,
  }).visit(program);
  return nodes;
}

await runWhenMain(import.meta.url, idioms);
