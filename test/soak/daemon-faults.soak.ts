import { expect, it } from 'vitest';
import { ignored } from '#base';
import { connect } from '#wire/service';
import { report } from '../support/command/measured-daemon.ts';
import { exitOf, servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';

const heapMb = 40;
const faults = 20;

it('a daemon whose heap is exhausted ends; its programs run on, and the next daemon has them', async () => {
  const place = new Place();
  const words = [process.execPath, `--max-old-space-size=${heapMb}`, vtrFile, 'serve'];
  const daemon = await servedBy(place, words);
  await place.ok('spawn', 'work', '--', 'sh', '-c', 'echo ready; exec cat');
  await place.sees('work', 'ready');
  const { pid } = await place.json('info', 'work');
  const client = await connect({ socket: place.socket });
  let waits = 0;
  let isOver = false;
  const ended = exitOf(daemon).then((code) => {
    isOver = true;
    return code;
  });
  while (!isOver) {
    const some = Array.from({ length: 200 }, () =>
      client.wait('work', { match: [`never ${waits++}`] }),
    );
    for (const each of some) ignored(each, 'the client closes');
    // A connection has at most 1,024 calls.
    await ignored(client.list(), 'the daemon refuses more calls than a connection may have');
  }
  expect(await ended).not.toBe(0);
  await client.close();
  report({ heapMb, waits });
  expect(isAlive(pid)).toBe(true);
  await place.ok('send', 'work', 'still here\n');
  expect(await place.sees('work', 'ready')).toContain('still here');
  expect(await place.json('info', 'work')).toMatchObject({ pid, status: 'running' });
});

it('exceptions outside of any call are logged, and all sessions go on', async () => {
  const place = new Place();
  const preload = ['--import', testProgram('throw-on-usr2.mjs')];
  const daemon = await servedBy(place, [process.execPath, ...preload, vtrFile, 'serve']);
  let log = '';
  daemon.stderr?.on('data', (text) => {
    log += text;
  });
  const client = await connect({ socket: place.socket });
  const sessions = ['one', 'two', 'three'];
  for (const name of sessions) await client.spawn({ name, program: 'cat' });
  for (let fault = 1; fault <= faults; fault++) {
    daemon.kill('SIGUSR2');
    await expect.poll(() => log.split('injected rejection').length - 1).toBe(fault);
    await expect.poll(() => log.split('injected exception').length - 1).toBe(fault);
    for (const name of sessions) {
      const waiting = client.wait(name, { match: [`^fault ${fault}$`] });
      await client.sendText(name, `fault ${fault}\n`);
      expect((await waiting).outcome).toBe('matched');
    }
  }
  report({ faults: 2 * faults });
  await client.close();
});
