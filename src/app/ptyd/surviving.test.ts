import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import type { PtyHost } from '#pty';
import {
  decodeKept,
  encodeFrame,
  encodeJson,
  encodeSavedChange,
  type HostedPtyHost,
  more,
  probePtyHost,
  protocol,
} from '#pty/hosted';
import { deferred } from '../../../test/support/deferred.ts';
import { collectOutput } from '../../../test/support/pty/collect-output.ts';
import { isAlive } from '../../../test/support/pty/process-facts.ts';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import {
  ackFrame,
  helloFrame,
  RawClient,
  ServedPtyd,
  spawnFrame,
  takeFrame,
} from '../../../test/support/pty/served-ptyd.ts';
import { runs } from '../../../test/support/run/runs.ts';

const again = { program: '/bin/vtr', args: ['serve'], env: { A: 'b' }, cwd: '/' };
const survival = { again };
const take = takeFrame(survival);
const list = encodeFrame('list', { request: 1 });
const follow = encodeFrame('follow', { session: 1 });
const empty = new Uint8Array(0);
const megabyte = 1024 * 1024;
let served: ServedPtyd;

/** How much the host's clock is ahead. */
let shiftMs = 0;

beforeEach(async () => {
  shiftMs = 0;
  const now = () => ({ wallMs: Date.now() + shiftMs, bootMs: performance.now() + shiftMs });
  served = await ServedPtyd.start(now);
});
afterEach(() => served.dispose());

const connect = (): Promise<HostedPtyHost> => served.connect({ survival });

/** Breaks the connection as a kill does, and connects another coordinator. */
async function restarted(): Promise<HostedPtyHost> {
  served.breakConnections();
  return connect();
}

async function adopted(host: PtyHost) {
  const [only] = await host.adopt();
  if (only === undefined) throw new Error('nothing to adopt');
  return only;
}

/** Acknowledges all output that arrives. */
async function acknowledgeUntil(client: RawClient, least: number): Promise<void> {
  await vi.waitFor(
    () => {
      client.send(ackFrame(1, client.end));
      expect(client.end).toBeGreaterThan(least);
    },
    { interval: 1 },
  );
}

/** Without lines, which the kernel would convert one by one. */
const print20MB = "head -c 20000000 /dev/zero | tr '\\0' y";

describe('a PTY host whose coordinator was killed', () => {
  it('sends the same steps again, and goes on without a gap', async () => {
    const first = new RawClient(served.socket);
    const script = 'for i in $(seq 20000); do echo line $i; done; echo end; exec cat';
    first.send(helloFrame(), take, spawnFrame(2, 'sh', ['-c', script]));
    await acknowledgeUntil(first, 50_000);
    const { data } = first;
    served.breakConnections();
    const next = new RawClient(served.socket);
    next.send(helloFrame(), take, list, follow);
    await vi.waitFor(() => {
      next.send(ackFrame(1, next.end));
      expect(next.text).toContain('end\r\n');
    });
    expect(next.data.slice(0, data.length)).toEqual(data);
    let end = 0;
    for (const { offset, bytes } of next.data) {
      expect(offset).toBe(end);
      end += bytes.length;
    }
    expect(next.text.match(/line \d+/g)).toHaveLength(20_000);
    expect(next.of('kept').map(({ payload }) => decodeKept(payload).base)).toEqual([
      { offset: 0, steps: 0 },
    ]);
  });

  it('keeps programs whose coordinator lost only the connection, and tells it', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('cat'));
    const deprivals: string[] = [];
    first.onDeprived((how) => deprivals.push(how));
    served.breakConnections();
    await vi.waitFor(() => expect(deprivals).toEqual(['disconnected']));
    expect([pty.exitedAtMs, pty.isLost]).toEqual([null, false]);
    await expect(first.spawn(ptyRequest('true'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await first.detach();
    const { pty: next } = await adopted(await connect());
    const output = collectOutput(next);
    await next.write(Buffer.from('still here\n'));
    await output.untilText('still here');
  });

  it('stops reading a program at 8 MiB, and continues when its state was saved', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('sh', ['-c', `${print20MB}; exec cat`]));
    const output = collectOutput(pty);
    await output.untilText('y');
    served.breakConnections();
    let left = await adopted(await connect());
    const isPaused = async () => {
      // A pause is reported once it is long.
      shiftMs += 60_000;
      left = await adopted(await restarted());
      return left.pty.pausedByHost !== null;
    };
    await expect.poll(isPaused).toBe(true);
    const { pty: next, outputEnd: end } = left;
    expect(end).toBeGreaterThan(8 * megabyte - 300_000);
    expect(end).toBeLessThan(8 * megabyte);
    expect(next.pausedByHost).toMatchObject({ bytes: end });
    const replayed = collectOutput(next);
    await replayed.untilLength(end);
    next.save({ state: { offset: next.outputEnd, steps: 0, bytes: empty } });
    await vi.waitFor(() => {
      const { outputEnd: offset } = next;
      next.save({ state: { offset, steps: 0, bytes: empty } });
      expect(offset).toBe(20_000_000);
    });
    expect(replayed.bytes.length).toBe(20_000_000);
  });

  it('finishes input that was accepted, and drops an unfinished frame', async () => {
    const first = new RawClient(served.socket);
    const script = 'stty raw -echo; printf ready; sleep 0.2; exec head -c 100003';
    first.send(helloFrame(), take, spawnFrame(2, 'sh', ['-c', script]));
    await vi.waitFor(() => expect(first.text).toBe('ready'));
    const write = encodeFrame(
      'write',
      { request: 3, session: 1 },
      Buffer.alloc(5),
      Buffer.alloc(100_000, 'x'),
    );
    const half = encodeFrame(
      'write',
      { request: 4, session: 1 },
      Buffer.alloc(5),
      Buffer.alloc(9, 'z'),
    );
    first.send(write, half.subarray(0, 25));
    await vi.waitFor(() => expect(served.logged).toEqual([]));
    first.close();
    await vi.waitFor(() => expect(served.logged).toHaveLength(1));
    const host = await connect();
    const { pty } = await adopted(host);
    const output = collectOutput(pty);
    await pty.write(Buffer.from('end'));
    await pty.exit;
    expect(output.text).toBe(`ready${'x'.repeat(100_000)}end`);
  });

  it('accepts input exactly once over many kills', async () => {
    const count = 50;
    let host = await connect();
    const script = `stty raw -echo; printf ready; exec head -c ${count * 4}`;
    let pty = await host.spawn(ptyRequest('sh', ['-c', script]));
    await collectOutput(pty).untilText('ready');
    const lines = Array.from({ length: count }, (_, at) => `${String(at).padStart(3, '0')};`);
    let output = collectOutput(pty);
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: count, maxLength: count }),
      async (turns) => {
        for (const [at, line] of lines.entries()) {
          const write = () => pty.write(Buffer.from(line), { inputId: line });
          const unanswered = ignored(write(), 'its host may be replaced before the answer');
          // Before it is sent, before it is received, or before the answer.
          for (let turn = turns[at] ?? 0; turn > 0; turn--) await new Promise(setImmediate);
          host = await restarted();
          await unanswered;
          pty = (await adopted(host)).pty;
          output = collectOutput(pty);
          await write();
        }
      },
    );
    await fc.assert(property, { ...runs(1), numRuns: 1 });
    await pty.exit;
    expect(output.text).toBe(`ready${lines.join('')}`);
  });

  it('keeps the exit, its time and the last output', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('sh', ['-c', 'read line; echo last; exit 3']));
    await pty.write(Buffer.from('\n'));
    served.breakConnections();
    const from = Date.now();
    let host = await connect();
    let adoptedPty = await adopted(host);
    await vi.waitFor(async () => {
      host = await restarted();
      adoptedPty = await adopted(host);
      expect(adoptedPty.exited?.status).toEqual({ code: 3, signal: null });
    });
    expect(Math.abs((adoptedPty.exited?.atMs ?? 0) - from)).toBeLessThan(10_000);
    const output = collectOutput(adoptedPty.pty);
    await adoptedPty.replayed;
    expect([output.text, adoptedPty.pty.exitedAtMs]).toEqual([
      '\r\nlast\r\n',
      adoptedPty.exited?.atMs,
    ]);
    expect(await adoptedPty.pty.exit).toEqual({ code: 3, signal: null });
    expect(adoptedPty.pty.exitedAtMs).toBe(adoptedPty.exited?.atMs);
    expect(output.text).toBe('\r\nlast\r\n');
    await adoptedPty.pty.end();
    adoptedPty.pty.forget();
    // Answered after it.
    await host.listProcesses();
    expect(await (await restarted()).adopt()).toEqual([]);
  });

  it('keeps the exit of a program that it did not read any more', async () => {
    const pty = await (await connect()).spawn(ptyRequest('yes'));
    served.breakConnections();
    let end = -1;
    await vi.waitFor(
      async () => {
        const { outputEnd } = await adopted(await restarted());
        const before = end;
        end = outputEnd;
        expect([end > 7 * megabyte, end]).toEqual([true, before]);
      },
      { interval: 100 },
    );
    process.kill(pty.pid, 'SIGKILL');
    await vi.waitFor(async () => {
      const { exited } = await adopted(await restarted());
      expect(exited?.status).toEqual({ code: null, signal: 'SIGKILL' });
    });
  });

  it('releases programs that were suspended', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('sh', ['-c', 'echo ready; exec cat']));
    await collectOutput(pty).untilText('ready');
    const entry = async () =>
      (await served.owner.listProcesses()).find(({ pid }) => pid === pty.pid);
    await pty.usage();
    await pty.suspend();
    expect(await entry()).toMatchObject({ stopped: true });
    served.breakConnections();
    await vi.waitFor(async () => expect(await entry()).toMatchObject({ stopped: false }));
  });

  it('ends a program of which it has no room to save, and delivers its end', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('yes'));
    pty.save({ state: { offset: 0, steps: 0, bytes: empty } });
    const output = collectOutput(pty);
    await output.untilLength(7 * megabyte);
    expect(await pty.end({ force: true })).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('sends what was saved in several frames if it is long', async () => {
    const first = await connect();
    const pty = await first.spawn(ptyRequest('sleep', ['1000']));
    const bytes = new Uint8Array(5 * megabyte).map((_, at) => at % 251);
    const segments = [0, 1, 2, 3].map((from) => ({ from, to: from + 1, bytes }));
    pty.save({ segments });
    await pty.usage();
    const { saved } = await adopted(await restarted());
    expect(saved.segments.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    for (const each of saved.segments) expect(Buffer.compare(each.bytes, bytes)).toBe(0);
  });
});

describe('what a coordinator saves', () => {
  it('is as before if it was killed in the middle of a save', async () => {
    const first = new RawClient(served.socket);
    const keep = (flags: number, ...parts: readonly Uint8Array[]) =>
      encodeFrame('keep', { session: 1, flags }, ...parts);
    first.send(helloFrame(), take, spawnFrame(2, 'sleep', ['1000'], Buffer.from('old')));
    await vi.waitFor(() => expect(first.of('started')).toHaveLength(1));
    const parts = encodeSavedChange({ facts: Buffer.from('new') });
    const later = encodeSavedChange({ facts: Buffer.from('newer') });
    first.send(keep(0, ...parts), keep(more, ...later), encodeFrame('list', { request: 3 }));
    await vi.waitFor(() => expect(first.of('kept')).toHaveLength(1));
    const { saved } = await adopted(await restarted());
    expect(Buffer.from(saved.facts).toString()).toBe('new');
  });

  it('is limited: a program is refused if there is no room', async () => {
    const host = await connect();
    const pty = await host.spawn(ptyRequest('sleep', ['1000']));
    pty.save({ facts: new Uint8Array(33 * megabyte) });
    await expect(host.spawn(ptyRequest('true'))).rejects.toMatchObject({ code: 'SYSTEM_LIMIT' });
    pty.save({ facts: empty });
    await (await host.spawn(ptyRequest('true'))).exit;
  });
});

describe('the lifetime of a PTY host', () => {
  const kill = async (): Promise<void> => {
    served.breakConnections();
    await vi.waitFor(() => expect(served.logged.at(-1)).toContain('run on'));
    served.logged.length = 0;
  };

  it('starts a coordinator after a second, again and again, in growing pauses', async () => {
    const host = await connect();
    await host.spawn(ptyRequest('sleep', ['1000']));
    await kill();
    served.clock.advance(999);
    expect(served.restarts).toEqual([]);
    served.clock.advance(1);
    expect(served.restarts).toEqual([again]);
    served.clock.advance(2_000);
    expect(served.restarts).toHaveLength(3);
    for (const pause of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      served.restarts.length = 0;
      served.clock.advance(pause - 1);
      expect(served.restarts).toEqual([]);
      served.clock.advance(1);
      expect(served.restarts).toHaveLength(1);
    }
    await connect();
    served.restarts.length = 0;
    served.clock.advance(100_000);
    expect(served.restarts).toEqual([]);
    await kill();
    served.clock.advance(3_000);
    expect(served.restarts).toHaveLength(3);
  });

  it('starts one after a tenth of a second if the one before was there for 10 s, then as above', async () => {
    await (await connect()).spawn(ptyRequest('sleep', ['1000']));
    served.clock.advance(9_999);
    await kill();
    served.clock.advance(999);
    expect(served.restarts).toEqual([]);
    served.clock.advance(1);
    expect(served.restarts).toEqual([again]);
    await connect();
    served.clock.advance(10_000);
    await kill();
    for (const pause of [100, 1_000, 1_000, 2_000, 4_000]) {
      served.restarts.length = 0;
      served.clock.advance(pause - 1);
      expect(served.restarts).toEqual([]);
      served.clock.advance(1);
      expect(served.restarts).toEqual([again]);
    }
  });

  it('keeps a program that starts after its coordinator is gone', async () => {
    const start = deferred();
    const { owner } = served;
    const spawn = owner.spawn.bind(owner);
    owner.spawn = (request) => start.promise.then(() => spawn(request));
    const client = new RawClient(served.socket);
    client.send(helloFrame(), takeFrame({ again: null }), spawnFrame(1, 'sleep', ['1000']));
    await vi.waitFor(() => expect(client.of('answer')).toHaveLength(1));
    client.close();
    await vi.waitFor(() => expect(served.logged.at(-1)).toContain('run on'));
    start.resolve();
    const probe = () => probePtyHost(served.socket);
    await expect.poll(async () => (await probe()).running).toBe(1);
    served.clock.advance(5_000);
    await expect((await connect()).adopt()).resolves.toHaveLength(1);
  });

  it('starts one a second after each that was killed, unless a hundred in a row are', async () => {
    await (await connect()).spawn(ptyRequest('sleep', ['1000']));
    for (let killed = 1; killed <= 100; killed++) {
      await kill();
      served.clock.advance(1_000);
      expect(served.restarts).toHaveLength(killed);
      await connect();
    }
    await kill();
    served.clock.advance(1_999);
    expect(served.restarts).toHaveLength(100);
    served.clock.advance(1);
    expect(served.restarts).toHaveLength(101);
    await connect();
    served.clock.advance(10_000);
    await kill();
    served.clock.advance(1_000);
    expect(served.restarts).toHaveLength(102);
  });

  it('ends when it was asked to, also if its coordinator is killed meanwhile', async () => {
    const host = await connect();
    const stubborn = ['-c', "trap '' HUP TERM; echo ready; while :; do sleep 1; done"];
    const pty = await host.spawn(ptyRequest('sh', stubborn));
    await collectOutput(pty).untilText('ready');
    const closing = ignored(host.close(), 'the connection is lost before the answer');
    await host.listProcesses();
    served.breakConnections();
    await closing;
    await served.ended;
    expect(served.restarts).toEqual([]);
    expect(() => process.kill(pty.pid, 0)).toThrow();
  });

  const hangs = { program: '/bin/sleep', args: ['1000'], env: {}, cwd: '/' };

  it('ends a coordinator that does not connect in time, which doubles, and starts another', async () => {
    served.areReal = true;
    await (await served.connect({ survival: { again: hangs } })).spawn(ptyRequest('cat'));
    await kill();
    served.clock.advance(1_000);
    for (const [index, seconds] of [30, 60].entries()) {
      const pid = (await served.programs[index]?.started) ?? 0;
      served.clock.advance(seconds * 1_000 - 1);
      expect([isAlive(pid), served.programs.length]).toEqual([true, index + 1]);
      served.clock.advance(1);
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
      const text = `the coordinator that was started did not connect within ${seconds} s: ended`;
      await vi.waitFor(() => expect(served.logged.join('\n')).toContain(text));
      served.clock.advance(1_000);
    }
    expect(served.programs).toHaveLength(3);
  });

  it('does not end one that has connected, and leaves no other behind', async () => {
    served.areReal = true;
    await (await served.connect({ survival: { again: hangs } })).spawn(ptyRequest('cat'));
    await kill();
    served.clock.advance(1_000);
    const pid = await served.programs[0]?.started;
    const client = new RawClient(served.socket);
    client.send(helloFrame(protocol, { pid }), takeFrame({ again: hangs }), list);
    await vi.waitFor(() => expect(client.of('kept')).toHaveLength(1));
    served.clock.advance(60_000);
    // Another one is started while the first lives, which has connected.
    await kill();
    served.clock.advance(1_000);
    const hanging = await served.programs[1]?.started;
    await (await connect()).close({ force: true });
    await served.ended;
    await vi.waitFor(() => expect(isAlive(hanging ?? 0)).toBe(false));
    expect(isAlive(pid ?? 0)).toBe(true);
  });

  it('starts none after a goodbye', async () => {
    const host = await connect();
    await host.spawn(ptyRequest('sleep', ['1000']));
    await host.detach();
    served.clock.advance(100_000);
    expect(served.restarts).toEqual([]);
    expect(await (await connect()).adopt()).toHaveLength(1);
  });

  it('takes acknowledgements after a goodbye, which were on their way', async () => {
    const client = new RawClient(served.socket);
    const bye = encodeFrame('bye', { request: 2 }, encodeJson({ keep: true }));
    client.send(helloFrame(), take, bye, ackFrame(1, 10), encodeFrame('ping', {}));
    await vi.waitFor(() => expect(client.of('pong')).toHaveLength(1), { interval: 1 });
    expect(client.of('error')).toEqual([]);
  });

  it('ends 5 s after its coordinator if it has no sessions', async () => {
    await connect();
    await kill();
    served.clock.advance(4_999);
    expect([served.hasEnded, served.restarts]).toEqual([false, []]);
    served.clock.advance(1);
    await served.ended;
  });

  it('ends after a day if all programs have exited', async () => {
    const host = await connect();
    const pty = await host.spawn(ptyRequest('cat'));
    await kill();
    served.clock.advance(48 * 3_600_000);
    process.kill(pty.pid, 'SIGKILL');
    await vi.waitFor(() => expect(served.clock.pending).toBe(2));
    served.clock.advance(24 * 3_600_000 - 1);
    await Promise.resolve();
    expect(served.hasEnded).toBe(false);
    served.clock.advance(1);
    await served.ended;
  });

  it('ends if no coordinator ever connects', async () => {
    served.clock.advance(10_000);
    await served.ended;
  });
});
