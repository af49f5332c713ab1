import { describe, expect, it } from 'vitest';
import type { SessionRef } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

const rounds = 30;

export function isolationContract(fixture: CoordinatorFixture): void {
  describe('[law 5] isolation', () => {
    const echoing = () => fixture.driver.ready('stty -echo; echo ready; exec cat');

    /** Sends input and waits for its effect, several times. */
    const echoes = async (session: SessionRef) => {
      const { coordinator } = fixture;
      for (let round = 0; round < rounds; round++) {
        const waiting = coordinator.wait(session, { match: [`^round ${round}\\.$`] });
        await coordinator.sendText(session, `round ${round}.\n`);
        expect((await waiting).outcome).toBe('matched');
      }
    };

    it('[S1.24] two floods, a stuck writer and a stuck reader delay no other session', async () => {
      const { coordinator, driver } = fixture;
      const session = await echoing();
      const floods = [
        await driver.spawn({ program: 'yes' }),
        await driver.spawn({ program: 'yes' }),
      ];
      const stuckReaders = await Promise.all(floods.map((flood) => coordinator.subscribe(flood)));
      const deaf = await driver.ready('stty raw -echo; echo ready; exec sleep 1000');
      const stuckWriter = driver.codeOf(
        coordinator.sendBytes(deaf, new Uint8Array(1024 * 1024), { timeoutMs: 60_000 }),
      );
      const vain = floods.map((flood) => coordinator.wait(flood, { match: ['never'] }));
      await echoes(session);
      for (const flood of floods) await coordinator.kill(flood, 'KILL');
      await coordinator.kill(deaf, 'KILL');
      expect(await stuckWriter).toBe('SESSION_NOT_RUNNING');
      for (const each of vain) expect((await each).outcome).toBe('exited');
      for (const each of stuckReaders) each.dispose();
    });

    it('[S1.24] output is read while no client reads', async () => {
      const { coordinator, driver } = fixture;
      const sessions = await Promise.all([1, 2, 3].map(() => driver.sh('seq 1 9000')));
      for (const session of sessions) {
        await driver.exitOf(session);
        const { lines } = await coordinator.readLines(session);
        expect(lines.map(({ text }) => Number(text))).toEqual(
          Array.from({ length: 9000 }, (_, index) => index + 1),
        );
      }
    });

    it('ctrl+c reaches a program that floods', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'yes' });
      await driver.untilShown(session, 'y');
      await coordinator.sendKeys(session, ['ctrl+c']);
      expect(await driver.exitOf(session)).toEqual({ code: null, signal: 'SIGINT' });
    });

    it('ten floods at once all make progress', async () => {
      const { coordinator, driver } = fixture;
      const floods = await Promise.all(
        Array.from({ length: 10 }, () => driver.spawn({ program: 'yes' })),
      );
      for (let round = 0; round < 3; round++) {
        await Promise.all(floods.map((flood) => coordinator.wait(flood, { match: ['^y$'] })));
      }
      await Promise.all(floods.map((flood) => coordinator.remove(flood, { force: true })));
    });

    it('a wait finds its text behind a line of thousands of frames, while another session answers', async () => {
      const { coordinator, driver } = fixture;
      const session = await echoing();
      const frames = `for (let i = 0; i < 6000; i++) text += '\\x1b[?2026h ' + i + ' \\x1b[?2026l';`;
      const print = `${frames} process.stdout.write(text + '\\r\\nEND\\r\\n');`;
      const script = `let text = ''; process.stdin.once('data', () => { ${print} }); console.log('ready');`;
      const flood = await driver.spawn({ program: process.execPath, args: ['-e', script] });
      await coordinator.wait(flood, { since: 'start', match: ['^ready'] });
      let ended = false;
      const wait = coordinator.wait(flood, { match: ['^END'], timeoutMs: 60_000 });
      await coordinator.sendText(flood, 'go\n');
      void wait.finally(() => {
        ended = true;
      });
      let answers = 0;
      for (; !ended; answers++) {
        await coordinator.screen(session);
        // A local coordinator answers within the turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await wait).outcome).toBe('matched');
      expect(answers).toBeGreaterThan(30);
    });

    it('a subscriber that throws does not affect others', async () => {
      const { coordinator } = fixture;
      const session = await echoing();
      const reading = async () => {
        for await (const { type } of await coordinator.subscribe(session)) {
          if (type === 'output') throw new Error('reader');
        }
      };
      const failed = expect(reading()).rejects.toThrow('reader');
      await echoes(session);
      await failed;
    });
  });
}
