import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '#model';
import { vtrFile } from '../support/command/vtr-command.ts';

describe('the version', () => {
  it.each(['version', '--version', '-V', '-v'])('loads no code of other verbs: %s', (word) => {
    const directory = mkdtempSync(join(tmpdir(), 'vtr-version-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const alone = join(directory, 'vtr.cjs');
    copyFileSync(vtrFile, alone);
    const text = execFileSync(process.execPath, [alone, word], { encoding: 'utf8' });
    expect(text).toBe(`vtr ${version}\n`);
  });

  it('is the same with words behind it', () => {
    const text = execFileSync(process.execPath, [vtrFile, 'version', 'x'], { encoding: 'utf8' });
    expect(text).toBe(`vtr ${version}\n`);
  });
});
