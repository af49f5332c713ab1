// Makes docs/vtr.svg, the picture at the top of the README, from examples/readme/vtr.tape:
//
//   npm run build && node scripts/readme-picture.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';

const directory = join(root, 'examples/readme');
const state = mkdtempSync(join(tmpdir(), 'vtr-readme-'));
const recording = join(directory, 'vtr.cast');

/** @param {string[]} words */
const vtr = (...words) =>
  execFileSync(process.execPath, [join(root, 'dist/vtr.cjs'), ...words], {
    cwd: directory,
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: 'inherit',
  });

try {
  vtr('test', 'vtr.tape');
  vtr('export', recording, '-o', join(root, 'docs/vtr.svg'), '--force');
} finally {
  rmSync(recording, { force: true });
  rmSync(state, { recursive: true });
}
