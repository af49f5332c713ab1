import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#wire/service';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { openFiles } from '../support/pty/process-facts.ts';
import { isShortened } from '../support/run/durations.ts';
import { provided } from '../support/run/needs.ts';
import { halfBodies, halfHeads } from '../support/service/half-requests.ts';
import { closed, http2Client, httpRequest, rawClient } from '../support/service/raw-client.ts';

const secondsSince = (beginMs: number) => (performance.now() - beginMs) / 1000;

/** How long each connection stays open, in s. */
const closings = (path: string, all: readonly (readonly (string | Uint8Array)[])[]) => {
  const beginMs = performance.now();
  return Promise.all(
    all.map(async (parts) => {
      await closed(rawClient(path, ...parts));
      return secondsSince(beginMs);
    }),
  );
};

/** The same set several times. */
const many = <T>(all: Readonly<Record<string, T>>, times: number): T[] =>
  Array.from({ length: times }, () => Object.values(all)).flat();

describe('two hundred clients that send half of a request to a daemon', () => {
  it('lose their connection after 10 s without a head, and 30 s without a body; others are served', async () => {
    const daemon = await MeasuredDaemon.start();
    const { coordinator, pid, place } = daemon;
    await coordinator.list();
    const files = openFiles(pid);
    const post = httpRequest('SendText', ' '.repeat(1_000_000));
    const drip = rawClient(place.socket, post.slice(0, 20));
    // A byte a second makes no head complete.
    const beginMs = performance.now();
    let dripped = 20;
    const dripping = setInterval(() => drip.writable && drip.write(post[dripped++] ?? ''), 1_000);
    onTestFinished(() => clearInterval(dripping));
    const heads = closings(place.socket, many(halfHeads, 12));
    const bodies = closings(place.socket, many(halfBodies, 14));
    const dripS = closed(drip).then(() => secondsSince(beginMs));
    let ownerMs = 0;
    let isOver = false;
    const owner = async () => {
      while (!isOver) {
        const begin = performance.now();
        const client = await connect({ socket: place.socket, timeoutMs: 60_000 });
        await client.list();
        await client.close();
        ownerMs = Math.max(ownerMs, performance.now() - begin);
        await delay(500);
      }
    };
    const served = owner();
    const times = { heads: await heads, drip: await dripS, bodies: await bodies };
    isOver = true;
    await served;
    const headS = Math.max(...times.heads, times.drip);
    const bodyS = Math.max(...times.bodies);
    const leastHeadS = Math.min(...times.heads);
    report({ leastHeadS, headS, leastBodyS: Math.min(...times.bodies), bodyS, ownerMs });
    expect(leastHeadS).toBeGreaterThan(9);
    expect(headS).toBeLessThan(allowedMs(20_000) / 1000);
    expect(Math.min(...times.bodies)).toBeGreaterThan(29);
    expect(bodyS).toBeLessThan(allowedMs(60_000) / 1000);
    expect(ownerMs).toBeLessThan(allowedMs(15_000));
    await expect.poll(() => openFiles(pid), { timeout: 60_000 }).toBeLessThanOrEqual(files + 1);
  });
});

describe('clients without a call', () => {
  const whole = provided(!isShortened, 'only in a whole run: takes ten minutes');
  whole('lose their connection after ten minutes; those with a silent call keep it', async () => {
    const { coordinator, place } = await MeasuredDaemon.start();
    await coordinator.spawn({ name: 'silent', program: 'cat' });
    const caller = await connect({ socket: place.socket });
    onTestFinished(() => caller.close());
    const waiting = caller.wait('silent', { match: ['^done'], timeoutMs: 15 * 60_000 });
    const publisher = await connect({ socket: place.socket });
    onTestFinished(() => publisher.close());
    const publication = await publisher.publish({ name: 'quiet', by: 'test' });
    const beginMs = performance.now();
    const session = http2Client(place.socket);
    await new Promise((resolve) => session.once('close', resolve));
    const idleS = secondsSince(beginMs);
    report({ idleS });
    expect(idleS).toBeGreaterThan(590);
    expect(idleS).toBeLessThan(allowedMs(700_000) / 1000);
    await publication.write(Buffer.from('still here'));
    await coordinator.sendText('silent', 'done\n');
    expect((await waiting).outcome).toBe('matched');
    await publication.close();
  });
});
