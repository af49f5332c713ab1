import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { placePrefix, removeLeftPlaces } from './shell-request.ts';

it('what processes that are gone have left is removed, and nothing else', () => {
  const directory = tree({ 'elsewhere/file': '' });
  const { pid } = spawnSync('true');
  const at = (name: string) => join(directory, name);
  const left = at(`vtr-acp-${pid}-a`);
  const others = [at(`${placePrefix}b`), at(`vtr-acp-${pid}`), at(`x-vtr-acp-${pid}-c`)];
  for (const each of [left, ...others]) mkdirSync(join(each, '17'), { recursive: true });
  symlinkSync(at('elsewhere'), at(`vtr-acp-${pid}-link`));
  removeLeftPlaces(directory);
  expect(existsSync(left)).toBe(false);
  for (const each of others) expect(existsSync(join(each, '17'))).toBe(true);
  expect(existsSync(at(`vtr-acp-${pid}-link/file`))).toBe(true);
});

it('a directory that cannot be listed has nothing that is left', () => {
  expect(() => removeLeftPlaces(join(tree(), 'missing'))).not.toThrow();
});
