import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Timers, toDisposable } from '#base';
import { DatagramReceiver } from '../../test/support/datagram-receiver.ts';
import { needs } from '../../test/support/run/needs.ts';
import { runs } from '../../test/support/run/runs.ts';
import { tree } from '../../test/support/tree.ts';
import type { NewEntry } from './entry.ts';
import { type ForwardTarget, forwardTarget } from './forward-targets.ts';
import { Forwarder, forgetForwarded } from './forwarder.ts';
import { Trail, trailFiles } from './trail.ts';

/** Waits end at the next turn. */
const impatient: Timers = {
  nowMs: () => performance.now(),
  schedule(_, run) {
    const turn = setImmediate(run);
    return toDisposable(() => clearImmediate(turn));
  },
};

const entry = (number: number, more = ''): NewEntry => ({
  entry: {
    time: '2026-11-23T12:00:00.000Z',
    action: 'send',
    client: 'test',
    bytes: number,
    ...(more === '' ? {} : { session: more }),
  },
  input: null,
});

/** A target that takes so many entries of each call; fewer than it gets is a failure. */
class FakeTarget implements ForwardTarget {
  readonly taken: number[] = [];
  takes = Number.POSITIVE_INFINITY;

  async send(entries: Parameters<ForwardTarget['send']>[0]) {
    const count = Math.min(this.takes, entries.length);
    this.taken.push(...entries.slice(0, count).map((each) => each.entry.bytes ?? 0));
    return { count, error: count < entries.length ? new Error('the service is slow') : null };
  }

  async close() {}
}

interface Forwarding {
  readonly trail: Trail;
  readonly forwarder: Forwarder;
  close(): Promise<void>;
}

/** A daemon's trail and what forwards it. */
function forwarding(directory: string, target: ForwardTarget, maxBytes = 1024 * 1024): Forwarding {
  const log = () => {};
  const options = { directory, target, kind: 'file', path: '/target', log } as const;
  const forwarder = new Forwarder({ ...options, timers: impatient });
  const onWritten = (newest: number) => forwarder.note(newest);
  const trail = new Trail({ directory, maxBytes, text: false, wallMs: () => 0, log, onWritten });
  const close = async () => {
    await trail.close();
    await forwarder.close();
  };
  return { trail, forwarder, close };
}

const numbersFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => from + at);

describe('a trail that is forwarded', () => {
  it('has each entry at its target once and in order, or counts it, through outages and restarts', async () => {
    let runsWithLosses = 0;
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 90 }) }),
      fc.record({ takes: fc.constantFrom(0, 1, 7, Number.POSITIVE_INFINITY) }),
      fc.constant('restart' as const),
      fc.constant('wait' as const),
      fc.constant('torn' as const),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }),
        async (steps) => {
          const directory = join(tree(), 'audit');
          const target = new FakeTarget();
          // So small that some runs lose entries that wait.
          const open = () => forwarding(directory, target, 8 * 1024);
          let now = open();
          let total = 0;
          let lost = 0;
          const restart = async () => {
            await now.close();
            lost += now.forwarder.state.lost;
            now = open();
          };
          for (const each of steps) {
            if (each === 'restart') await restart();
            else if (each === 'wait') await new Promise((resolve) => setImmediate(resolve));
            else if (each === 'torn') {
              await restart();
              const newest = trailFiles(directory).at(-1);
              if (newest !== undefined) appendFileSync(newest, '{"time":"torn');
            } else if ('takes' in each) target.takes = each.takes;
            else for (let left = each.add; left > 0; left--) now.trail.add(entry(++total));
          }
          target.takes = Number.POSITIVE_INFINITY;
          await now.close();
          const { state } = now.forwarder;
          lost += state.lost;
          expect(state).toMatchObject({ waiting: 0, isFailing: false });
          expect(target.taken).toEqual([...new Set(target.taken)].sort((a, b) => a - b));
          expect(target.taken.length + lost).toBe(total);
          if (lost > 0) runsWithLosses++;
        },
      ),
      { ...runs(12), examples: [[[{ takes: 0 }, { add: 90 }, 'restart', { add: 90 }]]] },
    );
    expect(runsWithLosses).toBeGreaterThan(0);
  });

  it('tells what waits and why, and forwards it when its target works again', async () => {
    const target = new FakeTarget();
    target.takes = 2;
    const { trail, forwarder, close } = forwarding(join(tree(), 'audit'), target);
    for (const number of numbersFrom(1, 5)) trail.add(entry(number));
    await expect.poll(() => target.taken).toEqual([1, 2, 3, 4, 5]);
    target.takes = 0;
    for (const number of numbersFrom(6, 3)) trail.add(entry(number));
    await expect
      .poll(() => forwarder.state)
      .toEqual({
        to: 'file:/target',
        waiting: 3,
        lost: 0,
        isFailing: true,
        reason: '/target cannot be written: the service is slow',
      });
    target.takes = 9;
    await expect.poll(() => forwarder.state).toMatchObject({ waiting: 0, isFailing: false });
    await close();
    expect(target.taken).toEqual(numbersFrom(1, 8));
  });

  it('begins with new entries, and again with new ones once it was turned off', async () => {
    const directory = join(tree(), 'audit');
    const target = new FakeTarget();
    const write = async (from: number, to: ForwardTarget | null) => {
      const now = forwarding(directory, to ?? new FakeTarget());
      await expect.poll(() => existsSync(join(directory, 'forwarded.json'))).toBe(true);
      now.trail.add(entry(from));
      await now.close();
      if (to === null) await forgetForwarded(directory);
    };
    await write(1, null);
    await write(2, target);
    await write(3, target);
    await write(4, null);
    await write(5, target);
    expect(target.taken).toEqual([2, 3, 5]);
  });

  it('goes on with a trail that was removed, and with one that was copied back', async () => {
    const directory = join(tree(), 'audit');
    const target = new FakeTarget();
    const before = forwarding(directory, target);
    before.trail.add(entry(1));
    await expect.poll(() => target.taken).toEqual([1]);
    rmSync(directory, { recursive: true });
    before.trail.add(entry(2));
    await before.close();
    const after = forwarding(directory, target);
    after.trail.add(entry(3));
    await expect.poll(() => target.taken).toEqual([1, 2, 3]);
    const [file = ''] = trailFiles(directory);
    const text = readFileSync(file);
    rmSync(file);
    writeFileSync(file, text);
    after.trail.add(entry(4));
    await after.close();
    expect(target.taken).toEqual([1, 2, 3, 4]);
  });
});

describe('the file that a trail is forwarded to', () => {
  const bytesIn = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).bytes);

  it('has the lines of the trail, is private, and is begun anew once it was renamed or removed', async () => {
    const directory = tree();
    const path = join(directory, 'out.jsonl');
    const { trail, close } = forwarding(
      join(directory, 'audit'),
      forwardTarget({ kind: 'file', path }),
    );
    trail.add(entry(1));
    await expect.poll(() => existsSync(path) && bytesIn(path)).toEqual([1]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    renameSync(path, `${path}.1`);
    trail.add(entry(2));
    await expect.poll(() => existsSync(path) && bytesIn(path)).toEqual([2]);
    rmSync(path);
    trail.add(entry(3));
    await expect.poll(() => existsSync(path) && bytesIn(path)).toEqual([3]);
    // As `copytruncate` of logrotate does.
    writeFileSync(path, '');
    trail.add(entry(4));
    await close();
    expect(bytesIn(path)).toEqual([4]);
    const [file = ''] = trailFiles(join(directory, 'audit'));
    expect(readFileSync(file, 'utf8')).toContain(readFileSync(path, 'utf8'));
  });

  it('goes on in a line of its own after one that is not complete', async () => {
    const directory = tree({ 'out.jsonl': '{"bytes":1' });
    const path = join(directory, 'out.jsonl');
    const { trail, close } = forwarding(
      join(directory, 'audit'),
      forwardTarget({ kind: 'file', path }),
    );
    trail.add(entry(2));
    await close();
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"bytes":1\n\{"time".*\}\n$/);
  });

  it('is refused if it is a link, a pipe or a directory', async () => {
    const directory = tree();
    const at = (name: string) => join(directory, name);
    symlinkSync(at('elsewhere'), at('link'));
    execFileSync('mkfifo', [at('pipe')]);
    mkdirSync(at('directory'));
    for (const name of ['link', 'pipe', 'directory']) {
      const target = forwardTarget({ kind: 'file', path: at(name) });
      const { count, error } = await target.send([{ entry: entry(1).entry, line: '{}' }]);
      expect([name, count, error]).toEqual([name, 0, expect.any(Error)]);
      await target.close();
    }
    expect(existsSync(at('elsewhere'))).toBe(false);
  });
});

describe('the service that a trail is forwarded to', () => {
  const withPython = needs('python3');
  const line = (number: number, session?: string) => {
    const { entry: plain } = entry(number, session);
    return { entry: plain, line: JSON.stringify(plain) };
  };

  withPython('gets a message of syslog for each entry', async () => {
    const path = join(tree(), 'log');
    const target = forwardTarget({ kind: 'syslog', path });
    expect(await target.send([line(1)])).toMatchObject({ count: 0, error: { code: 'ENOENT' } });
    const receiver = await DatagramReceiver.start(path, onTestFinished);
    const refused = { ...line(2).entry, action: 'record start', refused: 'NOT_DRIVER' } as const;
    const gap = { ...line(3).entry, action: 'gap' };
    const others = [refused, gap].map((each) => ({ entry: each, line: JSON.stringify(each) }));
    expect(await target.send([line(1), ...others])).toEqual({ count: 3, error: null });
    await expect.poll(() => receiver.datagrams.length).toBe(3);
    const texts = receiver.datagrams.map(String);
    const header = (priority: number, action: string) =>
      new RegExp(
        `^<${priority}>1 2026-11-23T12:00:00\\.000Z \\S+ vtr ${process.pid} ${action} - {`,
      );
    expect(texts[0]).toMatch(header(86, 'send'));
    expect(texts[1]).toMatch(header(85, 'record-start'));
    expect(texts[2]).toMatch(header(84, 'gap'));
    expect(texts[0]?.endsWith(` - ${line(1).line}`)).toBe(true);

    await receiver.end();
    expect(await target.send([line(4)])).toMatchObject({
      count: 0,
      error: { code: 'ECONNREFUSED' },
    });
    const next = await DatagramReceiver.start(path, onTestFinished);
    expect(await target.send([line(4)])).toEqual({ count: 1, error: null });
    await expect.poll(() => next.datagrams.length).toBe(1);
    await target.close();
  });

  withPython(
    'gets a message of the journal for each entry, with fields of several lines',
    async () => {
      const path = join(tree(), 'log');
      const receiver = await DatagramReceiver.start(path, onTestFinished);
      const target = forwardTarget({ kind: 'journald', path });
      const each = line(1, 'a\nb');
      expect(await target.send([each])).toEqual({ count: 1, error: null });
      await expect.poll(() => receiver.datagrams.length).toBe(1);
      expect(receiver.datagrams[0]?.toString('latin1')).toBe(
        [
          'MESSAGE\n\x10\0\0\0\0\0\0\0send a\nb by test',
          'PRIORITY=6',
          'SYSLOG_FACILITY=10',
          'SYSLOG_IDENTIFIER=vtr',
          'VTR_TIME=2026-11-23T12:00:00.000Z',
          'VTR_ACTION=send',
          'VTR_CLIENT=test',
          'VTR_SESSION\n\x03\0\0\0\0\0\0\0a\nb',
          'VTR_BYTES=1',
          `VTR_ENTRY=${each.line}`,
          '',
        ].join('\n'),
      );
      await target.close();
    },
  );

  withPython(
    'gets an entry without its text and details if it is too large, and a slow one gets the rest later',
    async () => {
      const path = join(tree(), 'log');
      const receiver = await DatagramReceiver.start(path, onTestFinished);
      const target = forwardTarget({ kind: 'syslog', path });
      const { entry: small } = entry(1);
      const large = { ...small, text: 'x'.repeat(1024 * 1024) };
      const answer = await target.send([{ entry: large, line: JSON.stringify(large) }]);
      expect(answer).toEqual({ count: 1, error: null });
      await expect
        .poll(() => receiver.datagrams.map(String))
        .toEqual([expect.stringContaining('"details":{"shortened":true}}')]);
      // Its queue is full before it has read all.
      const many = numbersFrom(1, 3000).map((number) => line(number));
      let rest = many;
      while (rest.length > 0) {
        const { count, error } = await target.send(rest);
        if (error !== null) expect(error).toMatchObject({ code: 'EAGAIN' });
        rest = rest.slice(count);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await expect.poll(() => receiver.datagrams.length, { timeout: 30_000 }).toBe(3001);
      await target.close();
    },
  );
});
