import { run } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

/** Refuses a work tree with changes: nobody could make the same files again. @param {string} root @throws StepFailed */
export async function checkTree(root) {
  const { status, stdout, output } = await git(root, 'status', '--porcelain');
  if (status !== 0) throw new StepFailed('a release is made in a clone of the repository', output);
  const changed = stdout.split('\n').filter((line) => line !== '');
  if (changed.length === 0) return;
  const files = changed.length === 1 ? 'a file that is' : `${changed.length} files that are`;
  throw new StepFailed(`the work tree has ${files} not committed`, changed.slice(0, 10).join('\n'));
}

/**
 * Returns the notes of a version: its section of the changelog, without the heading.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {{ isTry: boolean }} options `isTry`: else those under `[Unreleased]`
 * @throws StepFailed if it has none
 */
export function notesOf(changelog, version, { isTry }) {
  const own = sectionOf(changelog, version);
  if (own !== null && !/^\d{4}-\d{2}-\d{2}$/.test(own.date)) {
    const heading = `## [${version}] - YYYY-MM-DD`;
    throw new StepFailed(`the heading of ${version} in CHANGELOG.md has no date; write ${heading}`);
  }
  const section = own ?? (isTry ? sectionOf(changelog, 'Unreleased') : null);
  if (section !== null && section.text !== '') return `${section.text}\n`;
  const hint = `move them from [Unreleased] to ## [${version}] - YYYY-MM-DD`;
  throw new StepFailed(`CHANGELOG.md has no notes of ${version}; ${hint}`);
}

/** @param {string} changelog @param {string} name of the section, as in `## [NAME] - DATE` */
function sectionOf(changelog, name) {
  const heading = (/** @type {string} */ line) => /^## \[([^\]]*)\](?: - (.*))?$/.exec(line);
  const lines = changelog.split('\n');
  const at = lines.findIndex((line) => heading(line)?.[1] === name);
  if (at === -1) return null;
  const length = lines.slice(at + 1).findIndex((line) => heading(line) !== null);
  const body = lines.slice(at + 1, length === -1 ? undefined : at + 1 + length);
  // Addresses of the headings, which keep a changelog has at the end.
  const text = body
    .filter((line) => !/^\[[^\]]+\]: /.test(line))
    .join('\n')
    .trim();
  return { date: heading(lines[at] ?? '')?.[2] ?? '', text };
}

/**
 * Refuses a version that has a tag, or that the registry has.
 *
 * @param {string} root
 * @param {string} name of the package
 * @param {string} version
 * @throws StepFailed also if the registry cannot be view
 */
export async function checkVersion(root, name, version) {
  const tag = `v${version}`;
  const { stdout } = await git(root, 'tag', '--list', tag);
  if (stdout.trim() !== '') {
    throw new StepFailed(`${version} exists: there is a tag ${tag}; raise version in package.json`);
  }
  const view = await run('npm', ['view', `${name}@${version}`, 'version'], { cwd: root });
  if (view.stdout.trim() === version) {
    throw new StepFailed(`${name} ${version} is in the registry; raise version in package.json`);
  }
  // E404: no such package. A package without this version makes npm print nothing.
  if (view.status === 0 || /\bE404\b/.test(view.output)) return;
  throw new StepFailed('the registry does not say which versions it has, see above', view.output);
}

/** The time of the last commit, in s since 1970. @param {string} root */
export async function commitTimeS(root) {
  const { stdout } = await git(root, 'log', '-1', '--format=%ct');
  return Number(stdout.trim());
}

/** @param {string} root @param {...string} args */
const git = (root, ...args) => run('git', args, { cwd: root });
