// The default import, because an import of cpSync fails in an older Node before it prints a message.
import fs from 'node:fs';
import { join } from 'node:path';
import { bom } from './bill-of-materials.mjs';

/** What `dist` contains that is in no package. */
const own = [
  { title: 'Glyphs of pictures (dist/image/fonts)', file: 'src/image/fonts/LICENSE.txt' },
  { title: 'Font of the page (dist/web/assets)', file: 'src/web/terminal/font/LICENSE.txt' },
  { title: 'Tables of the Unicode Character Database', file: 'scripts/licenses/Unicode-3.0.txt' },
];

/**
 * The standard texts for packages that name a license and contain no text of it. A text in a source file
 * is taken from its first comment.
 *
 * @type {Readonly<Record<string, readonly { file: string, isComment?: boolean }[]>>}
 */
const texts = {
  'Apache-2.0': [{ file: 'scripts/licenses/Apache-2.0.txt' }],
  '(Apache-2.0 AND BSD-3-Clause)': [
    { file: 'scripts/licenses/Apache-2.0.txt' },
    { file: 'node_modules/@bufbuild/protobuf/dist/esm/wire/varint.js', isComment: true },
  ],
};

/** The list that a step of the build keeps of the packages in its output. */
const listOf = (/** @type {string} */ root, /** @type {string} */ step) =>
  join(root, 'build', 'packages', `${step}.json`);
const steps = ['bundle', 'web-page'];

/**
 * Keeps which packages a step of the build has put into its output.
 *
 * @param {string} root
 * @param {'bundle' | 'web-page'} step
 * @param {Iterable<string>} inputs the files that it has read, relative to root, from esbuild
 */
export function keepPackages(root, step, inputs) {
  const paths = new Set();
  for (const input of inputs) {
    const path = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (path !== undefined) paths.add(path);
  }
  fs.mkdirSync(join(root, 'build', 'packages'), { recursive: true });
  fs.writeFileSync(listOf(root, step), JSON.stringify([...paths].sort()));
}

/** @param {string} root @param {'bundle' | 'web-page'} step */
export const hasPackages = (root, step) => fs.existsSync(listOf(root, step));

/**
 * Writes `dist/THIRD_PARTY_NOTICES`, the licenses of all code and data that dist contains, and
 * `dist/sbom.cdx.json`, a list of all packages that vtr needs or contains.
 *
 * @param {string} root
 * @throws Error if the text of a license is missing
 */
export function notices(root) {
  /** The paths of packages, as in package-lock.json. @type {ReadonlySet<string>} */
  const bundled = new Set(steps.flatMap((step) => JSON.parse(read(listOf(root, step)))));
  const { packages } = JSON.parse(read(join(root, 'package-lock.json')));
  const parts = [...bundled].sort().map((path) => {
    const { version, license } = packages[path];
    const title = `${path.replace(/^.*node_modules\//, '')} ${version} (${license})`;
    return { title, text: licenseOf(join(root, path), license, root) };
  });
  for (const { title, file } of own) parts.push({ title, text: read(join(root, file)).trim() });
  const line = '-'.repeat(80);
  const all = parts.map(({ title, text }) => `${line}\n${title}\n${line}\n\n${text}\n`);
  const begin = 'vtr contains code and data of others, under these licenses.\n';
  write(join(root, 'dist/THIRD_PARTY_NOTICES'), [begin, ...all].join('\n'));
  const { name, version, license } = JSON.parse(read(join(root, 'package.json')));
  const list = bom({ name, version, license }, packages, bundled);
  write(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(list, null, 2)}\n`);
}

/** @param {string} directory @param {string} license @param {string} root */
function licenseOf(directory, license, root) {
  const files = fs.readdirSync(directory).filter((each) => /^(licen[cs]e|notice)/i.test(each));
  const notices = files.sort().map((file) => read(join(directory, file)).trim());
  const standard = notices.length > 0 ? [] : (texts[license] ?? []);
  for (const { file, isComment = false } of standard) {
    const text = read(join(root, file));
    notices.push((isComment ? firstComment(text) : text).trim());
  }
  if (notices.length === 0) {
    throw new Error(
      `${directory} has no text of its license (${license}); add it in ${import.meta.url}`,
    );
  }
  return notices.join('\n\n');
}

/** @param {string} source */
const firstComment = (source) =>
  source
    .slice(0, source.search(/^(?!\/\/)/m))
    .replace(/^\/\/ ?/gm, '')
    .trim();

/** @param {string} path */
const read = (path) => fs.readFileSync(path, 'utf8');

/** @param {string} path @param {string} text */
function write(path, text) {
  if (!fs.existsSync(path) || read(path) !== text) fs.writeFileSync(path, text);
}
