import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import { usersOf } from './gates/file-graph.mjs';
import { isTest, listFiles, parseSource } from './gates/source-files.mjs';
import { run } from './steps/run.mjs';
import { StepFailed } from './steps/step-failed.mjs';

/** Where the code is. */
const directories = ['src', 'test', 'scripts', 'bench', 'examples'];

/** Files that decide how all tests run. What they import or name does, too. */
const runners = ['vitest.config.ts', 'scripts/test.mjs'];
const settings = /^(?:package(?:-lock)?\.json|\.npmrc|tsconfig\.[\w.]*json)$/;

/**
 * The table of verbs, which loads each on demand. A test that runs the command reaches the verbs that it names,
 * itself or in a file of `test` that it uses. One such file names all: the list of verbs that need no process.
 */
const verbTable = 'src/app/cli/verbs/index.ts';
const verbRow = /^ {2}'?(\w+)[ \w]*'?: .*import\('\.\/([\w-]+\.ts)'\)/gm;
const verbList = 'test/support/command/vtr-here.ts';

/** The page is reached by tests that run the command and name this word. */
const page = { entry: 'src/web/main.tsx', word: 'web' };

/**
 * Returns the files that differ from the last commit, also those that git does not track.
 *
 * @param {string} root
 * @param {string} [since] a commit, a tag or a branch: compares with where HEAD left it
 * @returns {Promise<string[]>} relative to `root`, sorted
 * @throws StepFailed if git fails
 */
export async function changedFiles(root, since) {
  const git = async (/** @type {string[]} */ ...args) => {
    const ended = await run('git', args, { cwd: root }).catch(({ message }) => {
      throw new StepFailed(`git does not start (${message})`);
    });
    if (ended.status !== 0) throw new StepFailed(`git ${args[0]} failed, see above`, ended.output);
    return ended.stdout;
  };
  const base = since === undefined ? 'HEAD' : (await git('merge-base', since, 'HEAD')).trim();
  const differing = await git('diff', '--name-only', '--no-renames', '--relative', '-z', base);
  const untracked = await git('ls-files', '--others', '--exclude-standard', '-z');
  return [...new Set(`${differing}${untracked}`.split('\0').filter((path) => path !== ''))].sort();
}

/**
 * @typedef {object} Reached
 * @property {readonly string[]} tests files, sorted; all if `unknown` is not null
 * @property {number} count how many files of tests there are
 * @property {string | null} unknown why any test may depend on a change
 */

/**
 * Returns the files of tests whose results may depend on changed files. A test reaches the files that it imports,
 * directly or not, and those whose name or directory is in one of its strings. A test that runs the built command
 * reaches the code of the command, except for verbs that it does not name.
 *
 * @param {string} root
 * @param {readonly string[]} changed relative to `root`
 * @returns {Reached}
 */
export function reachedTests(root, changed) {
  const code = codeOf(root);
  /** @type {Set<string>} */
  const reached = new Set();
  const all = (/** @type {string} */ unknown) => ({
    tests: code.tests,
    count: code.tests.length,
    unknown,
  });
  for (const path of changed) {
    if (settings.test(path) || code.runners.has(path)) return all(`${path} concerns all tests`);
    const users = isUsed(code, path) ? [path] : namersOf(code, path);
    // Whatever used a file that is gone has changed, too.
    if (users.length === 0 && existsSync(join(root, path)) && !isUnread(path)) {
      return all(`no file names ${path}`);
    }
    for (const user of users) for (const test of testsOf(code, user)) reached.add(test);
  }
  return { tests: [...reached].sort(), count: code.tests.length, unknown: null };
}

/** Documents that no test names, and soaks, which only `npm run soak` runs. */
const isUnread = (/** @type {string} */ path) => /\.md$|\.soak\.ts$/.test(path);

/**
 * @typedef {object} Code
 * @property {readonly string[]} tests
 * @property {ReadonlyMap<string, ReadonlySet<string>>} users the files that use each file, apart from `onDemand`
 * @property {ReadonlySet<string>} unused files outside of `src` that none imports
 * @property {ReadonlyMap<string, ReadonlySet<string>>} uses the files outside of `src` that each file uses
 * @property {ReadonlyMap<string, readonly string[]>} strings the strings of each file
 * @property {ReadonlyMap<string, OnDemand>} onDemand
 * @property {ReadonlySet<string>} runners
 *
 * @typedef {{ loader: string, words: Set<string> }} OnDemand a file that `loader` loads for these words
 */

/**
 * @param {string} root
 * @returns {Code}
 */
function codeOf(root) {
  const sources = [
    ...runners.filter((path) => !path.includes('/') && existsSync(join(root, path))),
    ...listFiles(root, directories, /\.(?:tsx?|mjs)$/),
  ].map((path) => parseSource(root, path));
  const strings = new Map(sources.map((source) => [source.path, stringsOf(source)]));
  /** @type {Map<string, Set<string>>} */
  const users = new Map();
  const commands = sources.map(({ path }) => path).filter((path) => runsCommand(path, strings));
  /** @type {Set<string>} */
  const unused = new Set();
  for (const [path, { atOnce, values, late }] of usersOf(sources)) {
    const isEntry = atOnce.size + late.size === 0 && path !== page.entry && !isTest(path);
    const isOfCommand = isEntry && path.startsWith('src/');
    users.set(path, new Set(isOfCommand ? commands : [...values, ...late]));
    if (isEntry && !isOfCommand) unused.add(path);
  }
  const onDemand = verbFiles(sources.find(({ path }) => path === verbTable)?.text ?? '');
  for (const path of onDemand.keys()) users.get(path)?.delete(verbTable);
  onDemand.set(page.entry, { loader: 'src/app/cli/main.ts', words: new Set([page.word]) });
  /** @type {Map<string, Set<string>>} */
  const uses = new Map(sources.map(({ path }) => [path, new Set()]));
  for (const [path, all] of users) {
    if (!path.startsWith('src/')) for (const user of all) uses.get(user)?.add(path);
  }
  const named = runners
    .flatMap((path) => strings.get(path) ?? [])
    .map((each) => posix.normalize(each));
  // The configuration also names tests, to sort them into projects.
  const first = [...runners, ...named.filter((path) => users.has(path) && !isTest(path))];
  return {
    tests: sources.map(({ path }) => path).filter(isTest),
    users,
    unused,
    uses,
    strings,
    onDemand,
    runners: closureOf(uses, first),
  };
}

/**
 * Whether a file outside of `src` names a file of `dist`.
 *
 * @param {string} path
 * @param {ReadonlyMap<string, readonly string[]>} strings
 */
const runsCommand = (path, strings) =>
  !path.startsWith('src/') &&
  (strings.get(path) ?? []).some((each) => /(?:^|\/)dist(?:\/|$)/.test(each));

/**
 * @param {string} table the text of the table of verbs
 * @returns {Map<string, OnDemand>}
 */
function verbFiles(table) {
  /** @type {Map<string, OnDemand>} */
  const files = new Map();
  for (const [, verb = '', name = ''] of table.matchAll(verbRow)) {
    const path = posix.join(posix.dirname(verbTable), name);
    const file = files.get(path) ?? { loader: verbTable, words: new Set() };
    file.words.add(verb);
    files.set(path, file);
  }
  return files;
}

/**
 * @param {import('./gates/source-files.mjs').Source} source
 * @returns {string[]} the strings and the literal parts of templates, without the names of modules
 */
function stringsOf({ program }) {
  /** @type {Set<unknown>} */
  const modules = new Set();
  const skip = (/** @type {{ source: unknown }} */ { source }) => modules.add(source);
  /** @type {string[]} */
  const strings = [];
  new Visitor({
    ImportDeclaration: skip,
    ExportNamedDeclaration: skip,
    ExportAllDeclaration: skip,
    ImportExpression: skip,
    Literal: (node) => {
      if (typeof node.value === 'string' && !modules.has(node)) strings.push(node.value);
    },
    TemplateElement: ({ value }) => {
      strings.push(value.raw);
    },
  }).visit(program);
  return strings;
}

/**
 * Returns the given files, and all that follows from them.
 *
 * @param {ReadonlyMap<string, ReadonlySet<string>>} next
 * @param {readonly string[]} first
 */
function closureOf(next, first) {
  const all = new Set(first);
  // What is added is visited, too.
  for (const path of all) for (const each of next.get(path) ?? []) all.add(each);
  return all;
}

/**
 * @param {Code} code
 * @param {string} path
 */
const isUsed = ({ users, unused, onDemand }, path) =>
  isTest(path) || onDemand.has(path) || (users.has(path) && !unused.has(path));

/**
 * Returns the files with a string in which a file is, or one of its directories is a part of a path.
 *
 * @param {Code} code
 * @param {string} path
 * @returns {string[]}
 */
function namersOf({ strings }, path) {
  const [name = '', ...above] = path.split('/').reverse();
  const names = new Set([name, ...above.filter((each) => !directories.includes(each))]);
  const isNamed = (/** @type {string} */ text) =>
    /\s/.test(text) ? text.includes(name) : text.split('/').some((part) => names.has(part));
  return [...strings].flatMap(([user, all]) => (user !== path && all.some(isNamed) ? [user] : []));
}

/**
 * @param {Code} code
 * @param {string} path
 * @returns {string[]}
 */
function testsOf(code, path) {
  const users = closureOf(code.users, [path]);
  const tests = [...users].filter(isTest);
  const demanded = [...users].flatMap((each) => code.onDemand.get(each) ?? []);
  for (const { loader, words } of demanded) {
    if (users.has(loader)) continue;
    for (const test of [...closureOf(code.users, [loader])].filter(isTest)) {
      if (hasWord(code, test, words)) tests.push(test);
    }
  }
  return tests;
}

/**
 * Whether a word is in a string of a test, or of a file of `test` that it uses.
 *
 * @param {Code} code
 * @param {string} test
 * @param {ReadonlySet<string>} words
 */
function hasWord({ uses, strings }, test, words) {
  const isWord = (/** @type {string} */ part) => words.has(part);
  return [...closureOf(uses, [test])]
    .filter((path) => path !== verbList)
    .some((path) => strings.get(path)?.some((each) => each.split(/[^\w-]+/).some(isWord)));
}
