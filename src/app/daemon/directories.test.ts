import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { listDirectories } from './directories.ts';

it('completes a path by directories, without files and hidden ones', async () => {
  const home = tree({ 'src/a.ts': '', 'spec/b.ts': '', 'some.txt': '', '.secret/c': '' });
  symlinkSync(join(home, 'src'), join(home, 's-link'));
  const names = async (prefix: string) =>
    (await listDirectories(prefix, home)).directories.map((each) => each.slice(home.length + 1));
  expect(await names('~/s')).toEqual(['s-link', 'spec', 'src']);
  expect(await names(`${home}/`)).toEqual(['s-link', 'spec', 'src']);
  expect(await names('~/.')).toEqual(['.secret']);
  expect(await names('~/src')).toEqual(['src']);
  for (const nothing of ['', 'src', '/no/such/place', '~/\0', '~other/'])
    expect(await names(nothing)).toEqual([]);
  for (let at = 100; at < 160; at++) mkdirSync(join(home, `many${at}`));
  expect((await names('~/many')).length).toBe(50);
});
