import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';

interface Locked {
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const packages: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** The directories in which Node searches for the imports of a package at `path`, from the inside out. */
function* directoriesAbove(path: string): Generator<string> {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    yield at === '' ? 'node_modules' : `${at}/node_modules`;
    if (at === '') return;
  }
}

// npm omits packages from the lockfile that the registry lacks at the time, such as those of other
// platforms. `npm ci` then refuses the file on every platform.
it('the lockfile has every package for every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, each]) =>
    Object.keys({ ...each.dependencies, ...each.optionalDependencies })
      .filter((name) =>
        [...directoriesAbove(path)].every((directory) => !packages[`${directory}/${name}`]),
      )
      .map((name) => `${name}, a dependency of ${path}`),
  );
  expect(missing).toEqual([]);
});

it('the lockfile has a checksum for every package', () => {
  const { '': _project, ...installed } = packages;
  const without = Object.keys(installed).filter((path) => !installed[path]?.integrity);
  expect(without).toEqual([]);
});
