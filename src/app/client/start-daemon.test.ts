import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon } from './start-daemon.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vtr-start-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A daemon that is killed this often before it answers. @returns how often it was started */
function daemon(kills: number) {
  const program = join(directory, 'daemon.cjs');
  const count = join(directory, 'count');
  const starts = () => readFileSync(count, 'utf8').length;
  writeFileSync(count, '');
  writeFileSync(
    program,
    `const { appendFileSync, readFileSync } = require('node:fs');
appendFileSync(${JSON.stringify(count)}, '.');
if (readFileSync(${JSON.stringify(count)}).length <= ${kills}) process.kill(process.pid, 'SIGKILL');
else process.send({ serving: process.pid }, () => process.exit(0));
`,
  );
  return { command: { program, env: process.env }, starts };
}

describe('a daemon that is killed before it answers', () => {
  it('is started again', async () => {
    const { command, starts } = daemon(2);
    const { wasRunning } = await startDaemon(command, join(directory, 'vtr.sock'));
    expect([wasRunning, starts()]).toEqual([false, 3]);
  });

  it('is an error if that happens again and again', async () => {
    const { command, starts } = daemon(100);
    await expect(startDaemon(command, join(directory, 'vtr.sock'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('was killed by SIGKILL before it answered'),
    });
    expect(starts()).toBe(4);
  });
});
