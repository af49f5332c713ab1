import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from '../steps/run.mjs';
import { tools } from '../steps/tools.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { roomTable } from './rooms.table.mjs';
import { isTest, listFiles } from './source-files.mjs';

/** The project without the types of Node and of browsers. */
const pureProject = 'tsconfig.pure.json';

/** @type {import('./gate.mjs').Gate} */
export const types = {
  name: 'types',
  holds: 'everything compiles, every source is in a project, pure rooms compile without Node',
  async run(root) {
    const build = await tsc(root, '-b', '--pretty', 'false');
    const projects = await projectsOf(root);
    const compiled = new Set(projects.flatMap((project) => project.files));
    const problems = build.status === 0 ? [] : [build.output];
    problems.push(
      ...sourcesOf(root)
        .filter((path) => !compiled.has(path))
        .map((path) => `${path} is not in a project`),
      ...pureProblems(projects),
    );
    if (compiled.size === 0) problems.push('saw no file');
    const summary = `${counted(compiled.size, 'file')} in ${counted(projects.length, 'project')}`;
    return { seen: summary, problems };
  },
};

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
const tsc = (root, ...args) => runNode(tools.tsc, args, { cwd: root });

/** @typedef {{ name: string, files: readonly string[], types: readonly string[] }} Project */

/**
 * The projects that the solution references, as the compiler reads them.
 *
 * @param {string} root
 * @returns {Promise<Project[]>}
 */
async function projectsOf(root) {
  const solution = await showConfig(root, 'tsconfig.json');
  /** @type {{ path: string }[]} */
  const references = solution.references ?? [];
  return Promise.all(
    references.map(async ({ path }) => {
      const { files = [], compilerOptions } = await showConfig(root, path);
      return {
        name: path.replace(/^\.\//, ''),
        files: files.map((/** @type {string} */ file) => file.replace(/^\.\//, '')),
        types: compilerOptions.types ?? ['*'],
      };
    }),
  );
}

/**
 * @param {string} root
 * @param {string} project
 */
async function showConfig(root, project) {
  if (!existsSync(join(root, project))) return {};
  const { status, stdout } = await tsc(root, '--showConfig', '-p', project);
  return status === 0 ? JSON.parse(stdout) : {};
}

/**
 * @param {string} root
 * @returns {string[]} every file that a project has to compile
 */
function sourcesOf(root) {
  const directories = ['src', 'test', 'scripts', 'bench', 'examples'];
  const atRoot = existsSync(root) ? readdirSync(root) : [];
  return [
    ...listFiles(root, directories, /\.[cm]?tsx?$/),
    ...listFiles(root, ['scripts'], /\.[cm]?js$/),
    ...atRoot.filter((name) => /\.[cm]?tsx?$/.test(name)),
  ];
}

/** @param {readonly Project[]} projects */
function pureProblems(projects) {
  const pureRooms = roomTable.filter((room) => room.pure).map((room) => `src/${room.name}/`);
  const isPure = (/** @type {string} */ path) =>
    !isTest(path) && pureRooms.some((room) => path.startsWith(room));
  return projects.flatMap(({ name, files, types: names }) => {
    if (name === pureProject)
      return names.length === 0 ? [] : [`${name} has the types of ${names.join(', ')}`];
    return files.filter(isPure).map((path) => `${path} is pure, and in the project ${name}`);
  });
}

await runWhenMain(import.meta.url, types);
