import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { needs } from '../support/run/needs.ts';
import { SlowLine } from '../support/tty/slow-line.ts';

/** Longer than a command needs to end once it is left. */
const delayMs = 300;

const entersScreen = '\x1b[?1049h\x1b[?2004h';
const leavesScreen = '\x1b[?1049l';
const end = '$ echo at the e""nd';

const shared = Place.forAll();

/** A session whose program asks its terminal nothing, until it is told to. */
const spawned = () =>
  shared.ok(
    'spawn',
    'build',
    '--wait',
    'ready',
    '--',
    'sh',
    '-c',
    'stty -echo; echo ready; while read -r x; do printf "\\033[c\\033[>q\\033]11;?\\007asked"; done',
  );

async function opened(ms = delayMs, env: Readonly<Record<string, string>> = {}): Promise<SlowLine> {
  const line = await SlowLine.open(shared, ms, env);
  await line.shows(/^\$/);
  return line;
}

const pid = () => Number(readFileSync(join(shared.directory, 'pid'), 'utf8'));

describe('what a slow terminal answers is never typed at the prompt', () => {
  for (const [command, keys] of [
    ['vtr attach build', '\x02d'],
    ['vtr attach build --take', '\x02d'],
    ['vtr ui', '\x02q'],
    ['vtr play demo.cast', 'q'],
  ] as const) {
    needs('bash')(`after ${command}, left at once`, async () => {
      await spawned();
      await shared.result(['record', 'save', 'build', '-o', 'demo.cast', '--force']);
      const line = await opened();
      await line.sends(entersScreen, () => line.type(`${command}\r`));
      line.type(keys);
      expect(await line.prompts()).toEqual([`$ ${command}`, end]);
    });
  }

  needs('bash')('after a program that ends at once', async () => {
    const line = await opened();
    line.type('vtr new short -- true\r');
    expect(await line.prompts()).toEqual(['$ vtr new short -- true', end]);
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    needs('bash')(`after ${signal}`, async () => {
      await spawned();
      const line = await opened();
      await line.sends(entersScreen, () => line.type('vtr attach build\r'));
      process.kill(pid(), signal);
      expect(await line.prompts()).toEqual(['$ vtr attach build', end]);
    });
  }

  needs('bash')('while it is suspended', async () => {
    await spawned();
    const line = await opened();
    await line.sends(entersScreen, () => line.type('vtr attach build\r'));
    line.type('\x02\x1a');
    onTestFinished(() => void process.kill(pid(), 'SIGKILL'));
    expect(await line.prompts()).toEqual(['$ vtr attach build', end]);
  });

  needs('bash')('while --raw is stopped by a signal, and fg shows the screen', async () => {
    await spawned();
    const line = await opened(100);
    await line.sends('ready', () => line.type('vtr attach build --raw\r'));
    await line.sends(leavesScreen, () => process.kill(pid(), 'SIGTSTP'));
    await line.shows(/Stopped/);
    await line.sends('ready', () => line.type('fg\r'));
    line.type('\x02d');
    expect(await line.prompts()).toContain(end);
  });

  needs('bash')('in an editor that gets the terminal', async () => {
    await spawned();
    const editor = join(shared.directory, 'editor');
    writeFileSync(editor, '#!/bin/sh\necho edits\nread -r line\nprintf %s "$line" >"$HOME/line"\n');
    chmodSync(editor, 0o755);
    const line = await opened(delayMs, { VISUAL: editor });
    await line.sends(entersScreen, () => line.type('vtr attach build\r'));
    await line.sends('edits', () => line.type('\x02e'));
    await line.shows(/^edits/);
    await line.sends(entersScreen, () => line.type('a line\n'));
    expect(readFileSync(join(shared.directory, 'line'), 'utf8')).toBe('a line');
    line.type('\x02d');
    await line.prompts();
  });

  needs('bash')('after --raw, in which the program has asked', async () => {
    await spawned();
    const line = await opened(100);
    await line.sends('ready', () => line.type('vtr attach build --raw\r'));
    await line.sends('asked', () => line.type('\r'));
    line.type('\x02d');
    expect(await line.prompts()).toEqual([end]);
  });

  needs('bash')('nor is the mouse that moved last', async () => {
    await spawned();
    const line = await opened(50);
    line.type('vtr attach build\r');
    await line.shows(/^ready/);
    const moved = '\x1b[<35;3;3M';
    line.type(moved);
    await line.sends(leavesScreen, () => line.type('\x02d'));
    line.type(moved);
    expect(await line.prompts()).toEqual(['$ vtr attach build', end]);
  });
});

needs('bash')('what was typed ahead after the answer is for the shell', async () => {
  await spawned();
  const line = await opened();
  line.typeAfterAnswer('echo ahe""ad\r');
  await line.sends(entersScreen, () => line.type('vtr attach build\r'));
  line.type('\x02d');
  await line.shows(/^ahead/);
  expect(await line.prompts()).toEqual(['$ vtr attach build', '$ echo ahe""ad', end]);
});

needs('bash')('a terminal that answers nothing can be left', async () => {
  await spawned();
  const line = await opened(Number.POSITIVE_INFINITY);
  line.type('vtr attach build\r');
  await line.shows(/^ready/);
  line.type('\x02d');
  expect(await line.prompts()).toEqual(['$ vtr attach build', end]);
});
