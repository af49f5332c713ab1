import { describe, expect, it } from 'vitest';
import type { Coordinator, SignalName, SubscriptionEvent } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

const fatal: readonly SignalName[] = ['HUP', 'INT', 'QUIT', 'KILL', 'USR1', 'USR2', 'TERM'];

/** The operations that need a running program. */
const needingProgram: readonly [string, (c: Coordinator) => Promise<unknown>][] = [
  ['sendText', (c) => c.sendText('one', 'x')],
  ['sendKeys', (c) => c.sendKeys('one', ['enter'])],
  ['sendBytes', (c) => c.sendBytes('one', Uint8Array.of(1))],
  ['sendMouse', (c) => c.sendMouse('one', [{ action: 'move', row: 0, col: 0 }])],
  ['sendFocus', (c) => c.sendFocus('one', true)],
  ['resize', (c) => c.resize('one', { cols: 10, rows: 10 })],
  ['kill', (c) => c.kill('one')],
];

export function endingContract(fixture: CoordinatorFixture): void {
  describe('the exit of a program', () => {
    it.each([0, 1, 42, 255])('[S4.10] has its exit code: %i', async (code) => {
      const session = await fixture.driver.sh(`echo last words; exit ${code}`);
      expect(await fixture.driver.exitOf(session)).toEqual({ code, signal: null });
      expect(await fixture.driver.text(session)).toBe('last words');
    });

    it.each(fatal)('has its signal: %s', async (name) => {
      const session = await fixture.driver.ready('ulimit -c 0; echo ready; exec sleep 1000');
      await fixture.coordinator.kill(session, name);
      const status = { code: null, signal: `SIG${name}` };
      expect(await fixture.driver.exitOf(session)).toEqual(status);
      expect((await fixture.coordinator.info(session)).exitStatus).toEqual(status);
    });

    it('[S3.02] leaves the session readable, with its status, until it is removed', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('echo last words; exit 3', { name: 'one' });
      await driver.exitOf(session);
      const info = await coordinator.info('one');
      expect(info).toMatchObject({
        id: session.id,
        state: 'exited',
        exitStatus: { code: 3, signal: null },
        exitedAtMs: expect.any(Number),
      });
      expect(info.exitedAtMs).toBeGreaterThanOrEqual(info.createdAtMs);
      expect(await coordinator.list()).toEqual([info]);
      expect((await coordinator.screen('one')).text[0]).toBe('last words');
      expect((await coordinator.readLines('one')).lines[0]?.text).toBe('last words');
      expect(await coordinator.remove('one')).toEqual({ code: 3, signal: null });
      expect(await coordinator.list()).toEqual([]);
      await expect(coordinator.screen('one')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('[law 6] is the last event, after the final byte', async () => {
      const { coordinator, driver } = fixture;
      const faults: string[] = [];
      const run = async (round: number) => {
        const length = (round * 1_009) % 100_000;
        const session = await driver.sh(`head -c ${length} /dev/zero | tr '\\0' x`);
        const events: SubscriptionEvent[] = [];
        for await (const event of await coordinator.subscribe(session)) events.push(event);
        const end = events.reduce(
          (offset, event) =>
            event.type === 'output'
              ? event.offset + event.bytes.length
              : event.type === 'snapshot'
                ? event.offset
                : offset,
          0,
        );
        const exits = events.filter(({ type }) => type === 'exit').length;
        if (end !== length || exits !== 1 || events.at(-1)?.type !== 'exit') {
          faults.push(`${round}: ${end} of ${length}, ${exits} exits, last ${events.at(-1)?.type}`);
        }
        await coordinator.remove(session);
      };
      for (let round = 0; round < 160; round += 16) {
        await Promise.all(Array.from({ length: 16 }, (_, index) => run(round + index)));
      }
      expect(faults).toEqual([]);
    });

    it.each(needingProgram)('makes %s fail', async (_name, call) => {
      const session = await fixture.driver.sh('exit 0', { name: 'one' });
      await fixture.driver.exitOf(session);
      await expect(call(fixture.coordinator)).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
        message: expect.stringMatching(/^session one: the program has ended/),
      });
    });
  });

  describe('kill', () => {
    it('sends TERM by default', async () => {
      const session = await fixture.driver.ready('echo ready; exec sleep 1000');
      await fixture.coordinator.kill(session);
      expect(await fixture.driver.exitOf(session)).toEqual({ code: null, signal: 'SIGTERM' });
    });

    it('leaves a program running that ignores the signal', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        `trap 'echo got it' TERM; echo ready; while :; do sleep 0.02; done`,
      );
      await coordinator.kill(session);
      await driver.untilShown(session, 'got it');
      expect((await coordinator.info(session)).state).toBe('running');
    });

    it('suspends and continues a program', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        `trap 'echo on; exit 3' CONT; echo ready; while :; do sleep 0.02; done`,
      );
      await coordinator.kill(session, 'STOP');
      await coordinator.kill(session, 'CONT');
      expect(await driver.exitOf(session)).toEqual({ code: 3, signal: null });
    });

    it('rejects other signals', async () => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const killing = fixture.coordinator.kill('one', 'SEGV' as 'TERM');
      await expect(killing).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^session one: signal "SEGV".*HUP, INT/),
      });
    });

    it('interrupts the job and leaves the shell, as ctrl+c does', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'sh', args: ['-i'], env: { PS1: 'prompt> ' } });
      await driver.untilShown(session, 'prompt> ');
      for (const interrupt of [
        () => coordinator.kill(session, 'INT'),
        () => coordinator.sendKeys(session, ['ctrl+c']),
      ]) {
        const started = coordinator.wait(session, { match: ['^job started'] });
        await coordinator.sendText(session, `sh -c 'echo job started; exec sleep 1000'\r`);
        await started;
        await interrupt();
        // A shell that gets the signal late discards the input typed before it.
        const ask = () =>
          coordinator.sendText(session, 'echo status $?\r', {
            wait: { match: ['status 130'], timeoutMs: 2_000 },
          });
        while ((await ask()).wait?.outcome !== 'matched');
      }
    });
  });
}
