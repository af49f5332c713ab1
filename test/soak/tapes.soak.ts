import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { allowedMs, report } from '../support/command/measured-daemon.ts';
import { vtrFile } from '../support/command/vtr-command.ts';
import { programTapes } from '../support/tapes/program-tapes.ts';
import { vhsTapes } from '../support/tapes/vhs-tapes.ts';
import { tree } from '../support/tree.ts';

interface Report {
  readonly passed: number;
  readonly tests: readonly {
    readonly file: string;
    readonly failed: number;
    readonly failures: readonly { readonly message: string }[];
  }[];
}

function test(cwd: string, words: readonly string[]) {
  const begin = performance.now();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [vtrFile, 'test', '--reporter', 'json', ...words],
    { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const elapsedMs = performance.now() - begin;
  expect(stdout, stderr).toMatch(/^\{/);
  const result: Report = JSON.parse(stdout);
  const failed = result.tests.filter((each) => each.failed > 0);
  return { ...result, failed, elapsedMs };
}

/** More than a thousand runs, on a machine that does something else, too. */
const timeoutMs = 900_000;

describe('tapes', () => {
  it(
    'of vim, less and fzf, fifty of them, take 10 s, and never fail in 20 rounds',
    () => {
      const files = Object.keys(programTapes);
      expect(files).toHaveLength(50);
      const cwd = tree(programTapes);
      expect(test(cwd, ['--update', ...files]).failed).toEqual([]);
      const once = test(cwd, files);
      expect(once.failed).toEqual([]);
      const rounds = test(cwd, ['--times', '20', ...files]);
      expect(rounds.failed).toEqual([]);
      report({ 'ms of 50 tapes': once.elapsedMs, 'ms of 20 rounds': rounds.elapsedMs });
      expect(once.elapsedMs).toBeLessThan(allowedMs(10_000));
    },
    timeoutMs,
  );

  it(
    'of VHS, a hundred of them, run, and make the files that they name',
    () => {
      const names = vhsTapes.map((_, at) => `${at}.tape`);
      const cwd = tree(Object.fromEntries(vhsTapes.map(({ text }, at) => [`${at}.tape`, text])));
      const { tests } = test(cwd, names);
      const wrong = tests.flatMap(({ failures }, at) => {
        const { name, error } = vhsTapes[at] ?? {};
        const [message] = failures.map((failure) => failure.message);
        const isExpected = error === undefined ? message === undefined : error.test(message ?? '');
        // A machine may lack ffmpeg, which makes videos.
        const lacksProgram = message?.includes('is made by ffmpeg, which is not in PATH') ?? false;
        return isExpected || lacksProgram ? [] : [`${name}: ${message}`];
      });
      expect(wrong).toEqual([]);
    },
    timeoutMs,
  );
});
