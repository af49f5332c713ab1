import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { root } from '../../scripts/root.mjs';
import { sharedCache } from '../support/command/vtr-command.ts';
import { hasProc, processesWith } from '../support/pty/process-facts.ts';
import { freshId } from '../support/pty/pty-request.ts';
import { tree } from '../support/tree.ts';

const script = join(root, 'scripts/start.mjs');
/** Programs that a machine may lack, by the number of the step that needs them. */
const optional = { 1: 'bash', 4: 'vim', 5: 'less', 6: 'python3', 7: 'top' };

/** The environment of one run of the demo, and the files and processes that it leaves behind. */
function place(path = process.env['PATH'] ?? '') {
  const temporary = tree();
  const mark = freshId();
  return {
    env: {
      ...process.env,
      PATH: path,
      TMPDIR: temporary,
      XDG_CACHE_HOME: sharedCache,
      DEMO_TEST: mark,
    },
    left: () => ({
      files: readdirSync(temporary),
      processes: hasProc ? processesWith(`DEMO_TEST=${mark}`) : [],
    }),
  };
}

const nothing = { files: [], processes: [] };

function runDemo({ env, left }: ReturnType<typeof place>, ...steps: readonly string[]) {
  const run = spawnSync(process.execPath, [script, ...steps], { env, encoding: 'utf8' });
  const { status, stdout, stderr } = run;
  return { status, stdout, stderr, lines: stdout.trimEnd().split('\n'), left: left() };
}

/** A PATH with sh and nothing else. */
function shellOnly(): string {
  const directory = tree();
  symlinkSync('/bin/sh', join(directory, 'sh'));
  return directory;
}

/** The PATH, with this program before all others. */
function withProgram(name: string, text: string): string {
  const directory = tree({ [name]: text });
  chmodSync(join(directory, name), 0o755);
  return [directory, process.env['PATH']].join(delimiter);
}

describe('the demo', () => {
  it('sees what it expects of the installed programs, and leaves nothing', () => {
    // The next test plays the other steps.
    const { status, stdout, lines, left } = runDemo(place(), ...Object.keys(optional));
    expect(lines.at(-1)).toMatch(/^\d+ of 5 steps as expected, \d skipped, 0 failed\.$/);
    expect(stdout).not.toContain('✗');
    expect({ status, left }).toEqual({ status: 0, left: nothing });
  });

  it('skips the programs that the machine lacks, and plays the rest with sh alone, in plain text', () => {
    const { status, stdout, lines, left } = runDemo(place(shellOnly()));
    const skipped = stdout.matchAll(/^(\d+)\. .*\n +- Skipped: this machine has no (\w+)\.$/gm);
    expect(Object.fromEntries([...skipped].map((match) => match.slice(1)))).toEqual(optional);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
    expect(lines.at(-1)).toBe('8 of 13 steps as expected, 5 skipped, 0 failed.');
    expect({ status, left }).toEqual({ status: 0, left: nothing });
  });

  it('shows the screen when a step fails, plays the others, and fails', () => {
    const vim = '#!/bin/sh\necho "no editing today"\nexit 3\n';
    const demo = place(withProgram('vim', vim));
    const { status, stdout, lines, left } = runDemo(demo, '3', '4', '8');
    expect(stdout).toContain('│no editing today');
    expect(stdout).toContain('✗ vtr wait vim --screen note\\.txt failed: ');
    expect(lines.at(-2)).toBe('2 of 3 steps as expected, 0 skipped, 1 failed:');
    expect(lines.at(-1)).toMatch(/^ {3}4\. Write a file in vim: vtr wait vim .*: .*\b3$/);
    expect({ status, left }).toEqual({ status: 1, left: nothing });
  });

  it('skips a python3 that is installed and does not work', () => {
    const python = '#!/bin/sh\necho "install me first" >&2\nexit 1\n';
    const { status, stdout } = runDemo(place(withProgram('python3', python)), '6');
    expect(stdout).toContain('Skipped: python3 does not work here');
    expect(status).toBe(0);
  });
});

describe('the demo, interrupted', () => {
  const coordinator = new LocalCoordinator();
  afterEach(() => coordinator.close());

  it('ends everything at ctrl+c, and reports that', async () => {
    const { env, left } = place();
    const session = await coordinator.spawn({
      program: process.execPath,
      args: [script, '2'],
      env: { ...env, NO_COLOR: '1' },
      size: { cols: 100, rows: 200 },
    });
    const counting = await coordinator.wait(session, { match: ['while :; do'] });
    expect(counting.outcome).toBe('matched');
    await coordinator.sendKeys(session, ['ctrl+c']);
    const { exitStatus } = await coordinator.wait(session);
    const { text } = await coordinator.screen(session);
    expect(text.filter((row) => row !== '').at(-1)).toBe('Interrupted.');
    expect({ exitStatus, left: left() }).toEqual({
      exitStatus: { code: 130, signal: null },
      left: nothing,
    });
  });
});
