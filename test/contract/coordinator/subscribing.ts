import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import type { SessionRef, Size } from '#model';
import { testProgram } from '../../support/pty/pty-request.ts';
import { runs } from '../../support/run/runs.ts';
import { SubscribedTerminal } from '../../support/service/subscribed-terminal.ts';
import { expectSameTerminal } from '../../support/vt/same-terminal.ts';
import { screenSize } from '../../support/vt/terminal-output.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Small, so that lines are dropped during the subscription. */
const scrollback = { maxLines: 60, maxBytes: 1 << 20 };

type Step = { readonly listenFor: number } | { readonly size: Size } | { readonly subscribe: true };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ listenFor: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ size: screenSize }),
    fc.record({ subscribe: fc.constant(true as const) }),
  ),
  { minLength: 4, maxLength: 14 },
);

export function subscribingContract(fixture: CoordinatorFixture): void {
  describe('a subscription', () => {
    it('[law 4] begins without gap or repeat at any time', async () => {
      const driver = await fixture.another({ scrollback });
      const { coordinator } = driver;

      const subscribed = async (session: SessionRef) =>
        new SubscribedTerminal(await coordinator.subscribe(session), scrollback);

      const property = fc.asyncProperty(steps, fc.nat(), async (list, seed) => {
        const session = await driver.spawn({
          program: process.execPath,
          args: [testProgram('busy-screen.mjs'), '60', String(seed)],
        });
        const first = await subscribed(session);
        const others: SubscribedTerminal[] = [];
        for (const step of list) {
          if ('listenFor' in step) await first.take(step.listenFor);
          else if ('size' in step)
            await ignored(coordinator.resize(session, step.size), 'the program may have ended');
          else {
            const next = await subscribed(session);
            await next.take(1);
            await first.takeUntilRevision(next.revision);
            expectSameTerminal(first.terminal, next.terminal);
            others.push(next);
          }
        }
        for (const each of [first, ...others]) await each.takeUntilExit();
        const last = await subscribed(session);
        await last.takeUntilExit();
        for (const each of [first, ...others]) {
          expect(each.revision).toBe(last.revision);
          expectSameTerminal(each.terminal, last.terminal);
        }
        await coordinator.remove(session);
      });
      await fc.assert(property, runs(15));
    });

    it('of a slow client continues from a new state, never with a gap', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(`stty -echo; read -r _; seq 1 1500000; read -r _`);
      const slow = new SubscribedTerminal(await coordinator.subscribe(session));
      await slow.take(1);
      const quick = new SubscribedTerminal(await coordinator.subscribe(session));
      const done = coordinator.wait(session, { match: ['^1500000$'], timeoutMs: 60_000 });
      await coordinator.sendText(session, '\r');
      const [{ revision }] = await Promise.all([done, quick.take(100)]);
      await slow.takeUntilRevision(revision);
      expect(slow.snapshots).toBe(2);
      await coordinator.sendText(session, '\r');
      await Promise.all([slow.takeUntilExit(), quick.takeUntilExit()]);
      expectSameTerminal(slow.terminal, quick.terminal);
    });

    it('is the state and the exit if the program has ended', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('echo last words; exit 3');
      await driver.exitOf(session);
      const events = [];
      for await (const event of await coordinator.subscribe(session)) events.push(event);
      expect(events).toMatchObject([
        { type: 'snapshot', size: { cols: 80, rows: 24 } },
        { type: 'exit', status: { code: 3, signal: null } },
      ]);
    });

    it('has resizes, titles and bells in order', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        `stty -echo; echo ready; read -r _; printf '\\033]2;busy\\007\\007\\007'; exit 3`,
      );
      const types: string[] = [];
      const subscription = await coordinator.subscribe(session);
      await coordinator.resize(session, { cols: 40, rows: 10 });
      await coordinator.sendText(session, '\r');
      for await (const { type } of subscription) if (type !== types.at(-1)) types.push(type);
      expect(types).toEqual(['snapshot', 'resize', 'output', 'title', 'bell', 'exit']);
    });

    it('ends when disposed, with pending calls', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const subscription = await coordinator.subscribe(session);
      const iterator = subscription[Symbol.asyncIterator]();
      expect((await iterator.next()).value?.type).toBe('snapshot');
      const waiting = iterator.next();
      subscription.dispose();
      subscription.dispose();
      expect(await waiting).toEqual({ done: true, value: undefined });
      const outputWait = coordinator.wait(session, { match: ['still here'] });
      await coordinator.sendText(session, 'still here\n');
      expect((await outputWait).outcome).toBe('matched');
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    });
  });
}
