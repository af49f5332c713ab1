import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '#app/client';
import type { Coordinator } from '#model';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { needs } from '../support/run/needs.ts';

const script = 'stty -echo; echo ready; while read -r x; do echo "got $x"; done';
const program = ['--', 'sh', '-c', script] as const;

/** The ways in which a daemon ends and its sessions continue. */
const ends = {
  'kill -9': async (place: Place) => {
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
  },
  'vtr serve --restart': async (place: Place) => {
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
  },
} satisfies Record<string, (place: Place) => Promise<void>>;

describe.each(Object.entries(ends))('a call survives %s', (_how, end) => {
  // Its sessions go on when the daemon ends, so that the tests need no other.
  const place = Place.forAll();
  let client: Coordinator;

  beforeEach(async () => {
    await place.ok('spawn', 'one', '--wait', 'ready', ...program);
    client = await connect({ socket: place.socket });
  });
  afterEach(() => client.close());

  it('vtr wait', async () => {
    const { ended } = await place.calling('Wait', ['wait', 'one', 'got (.*)', '--timeout', '20s']);
    await end(place);
    await place.ok('send', 'one', 'late\r');
    expect(await ended).toMatchObject({ status: 0, stdout: 'got late\n' });
  });

  it('vtr send, whose input is typed once', async () => {
    const { mark } = await place.json('read', 'one');
    const ending = end(place);
    for (const word of ['one', 'two', 'three']) {
      await place.ok('send', 'one', `${word}\r`, '--wait', `got ${word}`);
    }
    await ending;
    const { stdout } = await place.vtr(['read', 'one', '--since', mark]);
    expect(stdout).toBe('got one\ngot two\ngot three\n');
  });

  it('a script that repeats its calls with ids, which happen once', async () => {
    const id = (name: string) => ['--input-id', name];
    const calls = [
      ['send', 'one', 'text\r', ...id('send')],
      ['key', 'one', 'k', 'enter', ...id('key')],
      ['raw', 'one', '72 0d', ...id('raw')],
      ['send', 'one', 'pasted', '--paste', '--enter', ...id('paste')],
      ['spawn', ...id('spawn'), ...program],
    ];
    const { mark } = await place.json('read', 'one');
    const names = new Set<string>();
    for (const words of calls) {
      for (const ending of [end(place), undefined]) {
        names.add(await place.ok(...words));
        await ending;
      }
    }
    const { stdout } = await place.vtr(['read', 'one', '--since', mark]);
    expect(stdout).toBe('got text\ngot k\ngot r\ngot pasted\n');
    expect(names.size).toBe(2);
    const refused = await place.vtr(['send', 'one', 'other\r', ...id('send')]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('input id') });
  });

  needs('bash')('vtr run, whose line is typed once', async () => {
    await place.ok('spawn', 'shell', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.ok('wait', 'shell', '--prompt');
    const running = place.vtr(['run', 'shell', '--no-asks', '--', 'echo begun; read x; (exit $x)']);
    await place.ok('wait', 'shell', '^begun', '--since', 'start');
    await end(place);
    await place.ok('send', 'shell', '7\r');
    expect((await running).status).toBe(7);
    expect((await place.json('commands', 'shell')).commands).toHaveLength(1);
  });

  needs('bash')('vtr run that a script repeats with its id, whose line runs once', async () => {
    await place.ok('spawn', 'shell', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.ok('wait', 'shell', '--prompt');
    const line = 'echo begun; read x; (exit $x)';
    const words = ['run', 'shell', '--no-asks', '--input-id', 'once', '--', line];
    const first = place.vtr(words);
    await place.ok('wait', 'shell', '^begun', '--since', 'start');
    await end(place);
    const second = place.vtr(words);
    // Answered after the second has been read.
    await place.ok('wait', 'shell', '^begun', '--since', 'start');
    await place.ok('send', 'shell', '7\r');
    for (const { status } of await Promise.all([first, second])) expect(status).toBe(7);
    await end(place);
    expect((await place.vtr(words)).status).toBe(7);
    expect((await place.json('commands', 'shell')).commands).toHaveLength(1);
  });

  needs('bash')(
    'send and run of MCP: what succeeds is typed once, and what fails at most once',
    async () => {
      const host = await McpHost.start(place);
      await place.ok('spawn', 'shell', '--env', 'PS1=$ ', '--', 'bash', '--norc');
      await place.ok('wait', 'shell', '--prompt');
      const done: string[] = [];
      for (const name of ['a', 'b']) {
        const [text, line] = [`sent-${name}`, `echo run-${name} >> ran`];
        const calls = {
          [text]: () => host.call('send', { session_id: 'one', text: `${text}\n` }),
          [line]: () => host.call('run', { session_id: 'shell', command: line }),
        };
        for (const [what, call] of Object.entries(calls)) {
          // The daemon that was killed before may still end.
          await place.ok('ls', '--names');
          const ending = end(place);
          // Where the next daemon needs more than 3 s to start, a call fails.
          await call().then(
            () => done.push(what),
            () => {},
          );
          await ending;
        }
      }
      await place.ok('send', 'one', 'last\r', '--wait', 'got last');
      await place.ok('run', 'shell', '--', 'true');
      const { stdout } = await place.vtr(['read', 'one', '--since', 'start']);
      const got = stdout.match(/sent-\w/g) ?? [];
      const file = join(place.directory, 'ran');
      const ran = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      const typed = [...got, ...ran.map((each) => `echo ${each} >> ran`)];
      expect(typed).toHaveLength(new Set(typed).size);
      expect(typed).toEqual(expect.arrayContaining(done));
    },
  );

  it('a subscription, a wait, a viewing and its input of the package', async () => {
    const size = { cols: 90, rows: 20 };
    const viewing = await client.view('one', { name: 'alice', kind: 'attach', as: 'take', size });
    const events = await client.subscribe('one');
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.type).toBe('snapshot');
    const waiting = client.wait('one', { match: ['got (.*)'], timeoutMs: 20_000 });
    await end(place);
    await client.sendText('one', 'late\r', { viewer: viewing.id });
    expect((await waiting).match?.matched).toBe('got late');
    const texts: string[] = [];
    while (!texts.join('').includes('got late')) {
      const { value } = await iterator.next();
      if (value?.type === 'snapshot') texts.push(Buffer.from(value.dump).toString());
      if (value?.type === 'output') texts.push(Buffer.from(value.bytes).toString());
    }
    events.dispose();
    await viewing.resize({ cols: 91, rows: 21 });
    expect(await client.info('one')).toMatchObject({
      size: { cols: 91, rows: 21 },
      driverEpoch: 2,
      driver: { name: 'alice' },
    });
    await viewing.dispose();
    const { driver, driverEpoch } = await client.info('one');
    expect([driver, driverEpoch]).toEqual([undefined, 3]);
  });

  it('a lease, which still ends its programs', async () => {
    const lease = await client.openLease();
    const { pid } = await client.spawn({ name: 'leased', program: 'cat', lease: lease.id });
    await end(place);
    await client.spawn({ name: 'later', program: 'cat', lease: lease.id });
    expect(isAlive(pid)).toBe(true);
    await lease.close();
    expect((await client.info('leased')).endedBy).toEqual({ reason: 'lease' });
    expect((await client.info('later')).state).toBe('exited');
  });
});

it('connect starts a daemon if that is requested', async () => {
  const place = new Place();
  await expect(connect({ socket: place.socket })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const client = await connect({ socket: place.socket, start: true });
  expect(await client.list()).toEqual([]);
  await client.close();
});
