import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Terminal } from '#vt';
import { Place } from '../support/command/vtr-command.ts';

/** The part of asciinema-player that needs no page, with a live stream. */
async function playerOf(url: string) {
  const entry = fileURLToPath(import.meta.resolve('asciinema-player'));
  const [, core = ''] = /'\.\/(core-[^']+\.js)'/.exec(readFileSync(entry, 'utf8')) ?? [];
  const { C: Core } = await import(pathToFileURL(join(dirname(entry), core)).href);
  const ignore = () => {};
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return new Core({ driver: 'websocket', url, bufferTime: 0 }, { logger, speed: 1 });
}

it("[S3.32] asciinema's player shows a session live, from the address of a share", async () => {
  const place = new Place();
  await place.shell('one', '--size', '40x5');
  await place.ok('send', 'one', "printf 'h\\303\\266he \\346\\274\\242\\n'", '-e', '--wait', '漢');
  await place.ok('web', '--port', '0');
  const { url } = await place.json('web', 'share', 'one', '--alis');
  // The player uses the browser's WebSocket.
  Object.assign(globalThis, { WebSocket });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'WebSocket'));
  const player = await playerOf(url);
  let terminal = new Terminal({ size: { cols: 1, rows: 1 } });
  player.addEventListener('reset', ({ size, init }: { size: Size; init?: string }) => {
    terminal = new Terminal({ size });
    if (init) terminal.feed(Buffer.from(init));
  });
  player.addEventListener('output', (texts: string | readonly string[]) => {
    terminal.feed(Buffer.from([texts].flat().join('')));
  });
  player.addEventListener('resize', (size: Size) => terminal.resize(size));
  player.terminalReady();
  await player.init();
  void player.play();
  onTestFinished(() => player.stop?.());
  const shown = () => terminal.screenText();
  const isShown = { interval: 20 };
  await expect.poll(shown, isShown).toContain('höhe 漢');
  await expect
    .poll(async () => (await place.json('info', 'one')).viewers, isShown)
    .toMatchObject([{ kind: 'web', name: 'player' }]);
  // A character that arrives in two pieces.
  await place.ok('send', 'one', "printf '\\346'; sleep 0.05; printf '\\274\\242!\\n'", '-e');
  await expect.poll(shown, isShown).toContain('漢!');
  await place.ok('resize', 'one', '50', '6');
  await expect.poll(() => terminal.size, isShown).toEqual({ cols: 50, rows: 6 });
  expect(shown()).toEqual((await place.ok('screen', 'one', '--plain')).split('\n').slice(0, 6));
});

interface Size {
  readonly cols: number;
  readonly rows: number;
}
