import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBytes, readCase } from '../../scripts/golden/case-files.mjs';
import { root } from '../../scripts/root.mjs';
import { tree } from '../support/tree.ts';

/** Runs the recorder with cases in a temporary directory. */
function record(directory: string, ...args: string[]) {
  const script = join(root, 'scripts/record-golden.mjs');
  const { status, stderr } = spawnSync(
    process.execPath,
    [script, 'greeting', '--directory', directory, ...args],
    { encoding: 'utf8' },
  );
  return { status, stderr };
}

const asking = 'printf "\\033[1mwho?\\033[m "; read name; printf "hello %s\\n" "$name"';

describe('the recorder of golden cases', () => {
  it('records the output of a program, and its screen after each group of keys', () => {
    const directory = tree();
    const args = ['--about', 'a question', '--size', '20x4', '--keys', 'Ada<enter>'];
    expect(record(directory, ...args, '--', 'sh', '-c', asking)).toMatchObject({ status: 0 });
    const { checkpoints, size, keys } = readCase('greeting', directory);
    expect({ size, keys }).toEqual({ size: { cols: 20, rows: 4 }, keys: ['Ada<enter>'] });
    expect(checkpoints).toMatchObject([
      { after: '', screen: ['who?'], styles: { 0: '0 4 bold' }, cursor: { row: 0, col: 5 } },
      { after: 'Ada<enter>', screen: ['who? Ada', 'hello Ada'], cursor: { row: 2, col: 0 } },
    ]);
    expect(readBytes('greeting', directory).toString()).toBe(
      '\x1b[1mwho?\x1b[m Ada\r\nhello Ada\r\n',
    );

    expect(record(directory, '--again')).toMatchObject({ status: 0 });
    expect(readCase('greeting', directory).checkpoints).toEqual(checkpoints);
  });

  // xterm.js does not support CHARACTER POSITION BACKWARD.
  it('keeps a case on which the two engines disagree only with a reason', () => {
    const directory = tree();
    const args = ['--about', 'a difference', '--', 'printf', 'ab\\033[jc'];
    const refused = record(directory, ...args);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('row 0: vtr "ac", xterm "abc"');
    expect(existsSync(join(directory, 'greeting.json'))).toBe(false);

    expect(record(directory, '--accept', 'ECMA-48 HPB', ...args)).toMatchObject({ status: 0 });
    const { accepted } = readCase('greeting', directory);
    expect(accepted?.reason).toBe('ECMA-48 HPB');
    expect(accepted?.differences[0]).toContain('row 0');
  });
});
