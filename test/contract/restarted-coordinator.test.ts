import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { PtyHost } from '#pty';
import { SessionDriver } from '../support/command/session-driver.ts';
import { startTestPtyHost, type TestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { hasProc, isAlive, marked } from '../support/pty/process-facts.ts';

const defaults = { cwd: '/' };
const hourMs = 3_600_000;

describe('a LocalCoordinator whose sessions another one adopts', () => {
  let started: TestPtyHost;
  let coordinator: LocalCoordinator;
  let driver: SessionDriver;

  const begin = (ptyHost: PtyHost) => {
    coordinator = new LocalCoordinator({ ptyHost, defaults });
    driver = new SessionDriver(coordinator);
  };

  /** Takes the sessions from a coordinator that does not notice, as if it had been killed. */
  const kill = async () => {
    begin(await started.next());
    await coordinator.adopt();
  };

  const restart = async () => {
    await coordinator.detach();
    await kill();
  };

  beforeEach(async () => {
    started = await startTestPtyHost();
    begin(started.host);
  });
  afterEach(async () => {
    await coordinator.close();
    await started.dispose();
  });

  it('has the same list, screens and marks', async () => {
    const one = await driver.ready('echo ready; cat', { name: 'one', labels: { a: 'b' } });
    const two = await driver.spawn({ program: 'sh', args: ['-c', 'seq 1 200; exit 3'] });
    await driver.exitOf(two);
    await coordinator.rename(one, 'uno');
    const read = await coordinator.read(one);
    const before = await coordinator.list();
    await kill();
    const restored = { restored: 'exactly' };
    expect(await coordinator.list()).toEqual(before.map((each) => ({ ...each, ...restored })));
    expect(await coordinator.info('uno')).toEqual({ ...before[0], ...restored });
    await expect(coordinator.info('one')).rejects.toMatchObject({ details: { renamedTo: 'uno' } });
    expect(await driver.text(two)).toContain('\n200');
    expect((await coordinator.read(one, { since: read.mark })).kind).toBe('unchanged');
    await coordinator.sendText(one, 'more\n');
    const wait = await coordinator.wait(one, { match: ['more'], since: read.mark });
    expect(wait.outcome).toBe('matched');
  });

  it('loses no output of a flood, and repeats none, however often it is killed', async () => {
    const last = 400_000;
    const session = await driver.sh(`read -r _; seq 1 ${last}; exec sleep 1000`);
    const done = new RegExp(`^${last}$`);
    await coordinator.sendText(session, '\r');
    for (let kills = 0; kills < 4; kills++) {
      await kill();
      await coordinator.wait(session, { match: ['never'], timeoutMs: 5 + 40 * kills });
    }
    await coordinator.wait(session, { screen: [done.source], timeoutMs: 20_000 });
    await kill();
    const { firstLine, lines } = await coordinator.readLines(session);
    const numbers = lines.map(({ text }) => Number(text)).filter((number) => number > 0);
    const count = numbers.length;
    expect(count).toBeGreaterThan(9_000);
    expect(numbers).toEqual(Array.from({ length: count }, (_, at) => last - count + 1 + at));
    expect(firstLine).toBeGreaterThan(last - 11_000);
    expect(await coordinator.info(session)).toMatchObject({ restored: 'exactly' });
  });

  it('types and spawns at most once with an id', async () => {
    const request = { program: 'cat', inputId: 'spawn-1' };
    const [first, same] = await Promise.all([driver.spawn(request), driver.spawn(request)]);
    expect(same.id).toBe(first.id);
    await coordinator.sendText(first, 'typed\n', {
      inputId: 'input-1',
      wait: { match: ['typed'] },
    });
    await kill();
    expect((await coordinator.spawn(request)).id).toBe(first.id);
    expect(await coordinator.list()).toHaveLength(1);
    await coordinator.sendText(first, 'typed\n', { inputId: 'input-1' });
    await coordinator.sendText(first, 'end\n', { inputId: 'input-2', wait: { match: ['end'] } });
    await driver.untilShown(first, /end\nend/);
    const used = { code: 'INPUT_ID_USED' };
    const other = [
      () => coordinator.spawn({ ...request, args: ['-v'] }),
      () => coordinator.sendText(first, 'other\n', { inputId: 'input-1' }),
    ];
    for (const call of other) await expect(call()).rejects.toMatchObject(used);
    expect(await driver.text(first)).toBe('typed\ntyped\nend\nend');
  });

  it('continues a run that was interrupted, and types it once', async () => {
    const session = await driver.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(session, { prompt: true });
    const request = { line: 'echo begun; sleep 1; echo ended; (exit 5)', inputId: 'run-1' };
    const interrupted = expect(coordinator.run(session, request)).rejects.toMatchObject({
      details: { restarting: true },
    });
    await driver.untilShown(session, /^begun$/m);
    await restart();
    await interrupted;
    const result = await coordinator.run(session, request);
    expect(result).toMatchObject({ outcome: 'finished', exitCode: 5, exitStatus: null });
    expect(`${result.output.head}${result.output.tail}`.trim()).toBe('begun\nended');
    expect(await coordinator.run(session, request)).toMatchObject({ outcome: 'finished' });
    const other = { ...request, line: 'echo other' };
    await expect(coordinator.run(session, other)).rejects.toMatchObject({ code: 'INPUT_ID_USED' });
    expect((await coordinator.commands(session)).commands).toHaveLength(1);
  });

  it('keeps the programs of leases whose owners open them again', async () => {
    const leases = [await coordinator.openLease(), await coordinator.openLease()] as const;
    const [one, two] = await Promise.all(
      leases.map(({ id: lease }) => driver.spawn({ program: 'cat', lease })),
    );
    if (one === undefined || two === undefined) throw new Error('no sessions');
    await restart();
    await leases[0].close();
    const again = await coordinator.openLease({ id: leases[0].id });
    await expect(coordinator.openLease({ id: leases[0].id })).rejects.toMatchObject({
      code: 'LEASE_CLOSED',
    });
    expect((await coordinator.info(one)).state).toBe('running');
    await again.close();
    expect(await coordinator.info(one)).toMatchObject({ endedBy: { reason: 'lease' } });
    expect((await coordinator.info(two)).state).toBe('running');
  });

  it('continues subscriptions from a mark', async () => {
    const session = await driver.ready('stty -echo; echo ready; while read -r x; do echo $x; done');
    const { mark } = await coordinator.read(session);
    await coordinator.resize(session, { cols: 50, rows: 10 });
    await coordinator.sendText(session, 'one\n', { wait: { match: ['one'] } });
    await kill();
    await coordinator.sendText(session, 'two\n', { wait: { match: ['two'] } });
    const events = [];
    const subscription = await coordinator.subscribe(session, { since: mark });
    for await (const event of subscription) {
      events.push(event);
      if (events.length === 2) break;
    }
    expect(events).toMatchObject([
      { type: 'resize', size: { cols: 50, rows: 10 } },
      { type: 'output', bytes: new Uint8Array(Buffer.from('one\r\ntwo\r\n')) },
    ]);
  });

  it('has the exits of programs that ended without a coordinator', async () => {
    const session = await driver.ready('echo ready; read -r _; sleep 0.2; echo last; exit 7');
    const { pid } = await coordinator.info(session);
    // The host's clock alone tells an hour less: the time of the exit must be the host's.
    started.shiftClock(-hourMs);
    await coordinator.sendText(session, '\n');
    await coordinator.detach();
    await expect.poll(() => isAlive(pid)).toBe(false);
    await kill();
    const [info] = await coordinator.list();
    expect(info).toMatchObject({ state: 'exited', exitStatus: { code: 7, signal: null } });
    expect(info?.exitedAtMs).toBeLessThan(Date.now() - hourMs / 2);
    expect(await driver.text(session)).toContain('last');
  });

  it('ends programs that outlive their host, and no others', async ({ skip }) => {
    if (!hasProc) return skip('the processes of a session are found by /proc');
    const script = `trap '' HUP; echo ready; while :; do sleep 0.1; done`;
    const session = await driver.ready(script);
    const [bystander] = await Promise.all([startTestPtyHost()]);
    const other = new LocalCoordinator({ ptyHost: bystander.host, defaults });
    const info = await new SessionDriver(other).ready(script);
    process.kill(started.pid, 'SIGKILL');
    expect((await coordinator.wait(session)).outcome).toBe('exited');
    await expect.poll(() => marked(session.id)).toEqual([]);
    expect(await coordinator.info(session)).toMatchObject({ endedBy: { reason: 'host_lost' } });
    await coordinator.remove(session);
    expect(marked(info.id)).not.toEqual([]);
    await other.close();
    await bystander.dispose();
  });

  it('fails calls that wait with UNAVAILABLE, and says that it restarts', async () => {
    const session = await driver.ready('echo ready; cat');
    const waiting = coordinator.wait(session, { match: ['never'] });
    const failed = expect(waiting).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { restarting: true },
    });
    await restart();
    await failed;
    expect((await coordinator.info(session)).state).toBe('running');
  });
});
