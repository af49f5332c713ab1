import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';

const example = 'examples/first-session/main';

describe('the first session of the README', () => {
  it('is identical to the example', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, snippet] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
    expect(snippet).toBe(readFileSync(join(root, `${example}.ts`), 'utf8'));
  });

  it('[S4.16] is driven from TypeScript with the package, and shows the output of the program', () => {
    const file = join(root, `build/${example}.js`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^matched\n/);
    expect(stdout).toMatch(/^hello$/m);
    expect(stdout).toContain('row: ');
  });
});
