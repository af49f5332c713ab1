import { describe, expect, it } from 'vitest';
import { testProgram } from '../../support/pty/pty-request.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const senders = 50;
const messagesEach = 20;

export function inputOrderContract(fixture: CoordinatorFixture): void {
  describe('[law 6] input of several clients', () => {
    /** A program that reads up to `~` and prints each message on a line. */
    const recorder = async (name: string) => {
      const session = await fixture.driver.spawn({
        name,
        program: process.execPath,
        args: [testProgram('record-input.mjs')],
      });
      await fixture.driver.untilShown(session, 'ready');
      return session;
    };

    /** Returns the received messages, one per line. */
    const received = async (name: string) => {
      await fixture.coordinator.sendText(name, '~');
      await fixture.driver.exitOf(name);
      const lines = (await fixture.driver.text(name)).split('\n');
      return lines.slice(1).filter((line) => line !== '');
    };

    it('arrives in the order of the calls, not interleaved, in its session', async () => {
      const names = ['one', 'two', 'three'];
      await Promise.all(names.map(recorder));
      const expected: Record<string, string[]> = { one: [], two: [], three: [] };
      const sending: Promise<unknown>[] = [];
      for (let message = 0; message < messagesEach; message++) {
        for (let sender = 0; sender < senders; sender++) {
          const name = names[(sender + message) % names.length] ?? '';
          // Some are longer than the kernel accepts in one write.
          const text = `${sender}.${message}${'.'.repeat(sender === 7 ? 6_000 : sender)};`;
          expected[name]?.push(text);
          sending.push(fixture.coordinator.sendText(name, text));
        }
      }
      await Promise.all(sending);
      for (const name of names) expect(await received(name)).toEqual(expected[name]);
    });

    it('keeps its order over text, keys and bytes', async () => {
      const { coordinator } = fixture;
      await recorder('one');
      const expected: string[] = [];
      const sending: Promise<unknown>[] = [];
      for (let round = 0; round < 100; round++) {
        sending.push(
          coordinator.sendText('one', `text ${round};`),
          coordinator.sendKeys('one', [...`key${round}`, ';']),
          coordinator.sendBytes('one', Buffer.from(`bytes ${round};`)),
        );
        expected.push(`text ${round};`, `key${round};`, `bytes ${round};`);
      }
      await Promise.all(sending);
      expect(await received('one')).toEqual(expected);
    });

    it('queued for an ended session does not reach a session that reused its name', async () => {
      const { coordinator, driver } = fixture;
      for (let round = 0; round < 10; round++) {
        const deaf = await driver.ready('stty raw -echo; echo ready; exec sleep 1000', {
          name: 'one',
        });
        const queued = coordinator.sendText('one', 'A'.repeat(100_000));
        const failed = driver.codeOf(queued);
        await coordinator.kill(deaf, 'KILL');
        expect(await failed).toBe('SESSION_NOT_RUNNING');
        await coordinator.remove(deaf);
        await recorder('one');
        await coordinator.sendText('one', 'mine;');
        expect(await received('one')).toEqual(['mine;']);
        await coordinator.remove('one');
      }
    });
  });
}
