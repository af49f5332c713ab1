import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptPrefix } from '#model';
import { tree } from '../../../test/support/tree.ts';
import { KeptFiles } from './kept-files.ts';

it('removes the directories of a session, and no other, no file and no link', async () => {
  const directory = tree({ 'elsewhere/file': 'x' });
  const problems: string[] = [];
  const files = new KeptFiles({ TMPDIR: directory }, (line) => problems.push(line));
  const at = (name: string) => join(directory, name);
  for (const name of [
    `${keptPrefix('sess_1')}aaa`,
    `${keptPrefix('sess_1')}bbb`,
    `${keptPrefix('sess_10')}ccc`,
  ]) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'image.png'), 'x');
  }
  writeFileSync(at(`${keptPrefix('sess_1')}file`), 'x');
  symlinkSync(at('elsewhere'), at(`${keptPrefix('sess_1')}link`));
  files.remove(['sess_1']);
  files.remove(['sess_2']);
  await files.settled();
  const left = ['aaa', 'bbb', 'file', 'link'].map((end) =>
    existsSync(at(`${keptPrefix('sess_1')}${end}`)),
  );
  expect(left).toEqual([false, false, true, true]);
  expect(existsSync(at('elsewhere/file'))).toBe(true);
  expect(existsSync(at(`${keptPrefix('sess_10')}ccc/image.png`))).toBe(true);
  expect(problems).toEqual([]);
});

it('removes those of many sessions, whenever these are removed', async () => {
  const directory = tree();
  const files = new KeptFiles({ TMPDIR: directory }, () => {});
  const ids = Array.from({ length: 20 }, (_, number) => `sess${number}x`);
  for (const id of ids) mkdirSync(join(directory, `${keptPrefix(id)}a1b2c3`));
  files.remove([]);
  for (const id of ids.slice(0, 10)) files.remove([id]);
  await files.settled();
  expect(readdirSync(directory)).toHaveLength(10);
  files.remove(ids.slice(10));
  await files.settled();
  expect(readdirSync(directory)).toEqual([]);
});
