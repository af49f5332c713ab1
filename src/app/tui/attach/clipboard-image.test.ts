import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startLocalCoordinator } from '../../../../test/support/session/local-coordinator.ts';
import { tree } from '../../../../test/support/tree.ts';
import { clipboardImage, keepImage } from './clipboard-image.ts';

const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  // Each byte, also those that a terminal would take for a signal or a line end.
  Buffer.from(Array.from({ length: 300_000 }, (_none, at) => (at * 7 + (at >> 8)) & 0xff)),
]);

it('an image becomes a file that only its owner can read, and leaves no session', async () => {
  const { coordinator, end } = await startLocalCoordinator({});
  onTestFinished(end);
  const path = await keepImage(coordinator, png, 'sess_1');
  onTestFinished(() => rmSync(dirname(path), { recursive: true }));
  expect(readFileSync(path).equals(png)).toBe(true);
  expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(await coordinator.list()).toEqual([]);
});

it.each([
  ['an image', 'cat "$(dirname "$0")/image.png"', png],
  ['no image', 'echo text', /no image/],
  ['a failure, as without an image', 'exit 1', /no image/],
  ['more than 8 MiB', 'head -c 9000000 /dev/zero', /more than 8 MiB/],
])('the clipboard is read by a program of the system: %s', async (_, script, result) => {
  const directory = tree({ 'image.png': '', 'wl-paste': `#!/bin/sh\n${script}\n` });
  writeFileSync(`${directory}/image.png`, png);
  chmodSync(`${directory}/wl-paste`, 0o755);
  const env = { PATH: `${directory}:/usr/bin:/bin`, WAYLAND_DISPLAY: 'wayland-0' };
  const read = clipboardImage(env);
  if (result instanceof RegExp) await expect(read).rejects.toThrow(result);
  else expect(Buffer.from(await read).equals(result)).toBe(true);
});

it('says what is needed where no program reads the clipboard', async () => {
  await expect(clipboardImage({ PATH: '/nowhere', DISPLAY: ':0' })).rejects.toThrow(
    /needs wl-paste/,
  );
  await expect(clipboardImage({ PATH: '/nowhere' })).rejects.toThrow(/needs wl-paste/);
});
