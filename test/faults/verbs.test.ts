import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { vtrHere } from '../support/command/vtr-here.ts';
import { failEveryCall } from '../support/faults/every-call.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const at = (name: string) => join(root, name);
const around = {
  env: { HOME: root, PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh' },
  cwd: root,
  program: 'vtr',
};

const cast = `${JSON.stringify({ version: 2, width: 20, height: 2 })}\n[0.5,"o","hello"]\n`;

/** A verb, and the file that it writes. */
const verbs: readonly (readonly [words: string, written: string])[] = [
  ['export r.cast.gz -o out.txt', 'out.txt'],
  ['export r.cast.gz -o old.svg --force', 'old.svg'],
  ['redact r.cast.gz -o out.cast', 'out.cast'],
];

interface Done {
  readonly status: number;
  readonly stderr: string;
  /** Null if there is no file. */
  readonly file: string | null;
}

const prepare = () => {
  writeFileSync(at('r.cast.gz'), gzipSync(cast));
  writeFileSync(at('old.svg'), 'old');
};
const undo = () => {
  for (const name of ['r.cast.gz', 'old.svg', ...verbs.map(([, written]) => written)])
    rmSync(at(name), { force: true });
};

describe('verbs that read and write files, of which every system call fails', () => {
  test.each(verbs)('vtr %s', { timeout: 1_800_000 }, async (words, written) => {
    const act = async (): Promise<Done> => {
      const { status, stderr } = await vtrHere(words.split(' '), around);
      const file = existsSync(at(written)) ? readFileSync(at(written), 'base64') : null;
      return { status, stderr, file };
    };
    const before = words.includes('--force') ? Buffer.from('old').toString('base64') : null;
    /** It says why, and the file is as before. */
    const isReported = (result: unknown, reason: string) => {
      const { status, stderr, file } = result as Done;
      const isTold = stderr.includes(reason) && !stderr.includes('internal error');
      return status !== 0 && isTold && file === before;
    };
    const operation = { name: words, codes: [], prepare, undo, act, isReported };
    const { wrong, calls } = await failEveryCall(operation, root);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
