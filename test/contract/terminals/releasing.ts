import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import { startMark } from '#model';
import type { AcpPair } from '../../support/acp/acp-pair.ts';
import { hasProc, marked } from '../../support/pty/process-facts.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { TerminalsFixture } from '../terminals.ts';

const methods = ['output', 'wait_for_exit', 'kill', 'release'] as const;

async function expectUnknown(pair: AcpPair, terminalId: string): Promise<void> {
  const { sessionId } = pair;
  for (const method of methods) {
    const failure = await pair.failure(`terminal/${method}`, { sessionId, terminalId });
    expect(failure).toMatchObject({ code: -32002, data: { uri: terminalId } });
    expect(failure.message).toContain(`terminal "${terminalId}" not found`);
  }
}

export function releasingContract(fixture: TerminalsFixture): void {
  describe('terminal/release', () => {
    it('[S2.07] ends the program and its descendants, and the id is unknown at once', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('(trap "" HUP; sleep 1000) & echo started; wait');
      await coordinator.wait(terminal, { since: startMark, match: ['^started$'] });
      const wait = pair.waitForExit(terminal);
      const release = pair.release(terminal);
      await expectUnknown(pair, terminal);
      expect(await release).toEqual({});
      // A wait that was pending at the release gets the exit.
      expect(await wait).toEqual({ exitCode: null, signal: 'SIGHUP' });
      await expectUnknown(pair, terminal);
    });

    provided(hasProc, 'only with /proc: finds processes by their environment')(
      '[S2.07] also ends processes that left the terminal and ignore signals',
      async () => {
        const { pair, coordinator } = fixture;
        const terminal = await pair.create({ command: testProgram('leave-setsid-child.sh') });
        const { id } = await coordinator.info(terminal);
        await coordinator.wait(terminal, { since: startMark, match: ['^ready$'] });
        await coordinator.sendText(terminal, '\r');
        await pair.waitForExit(terminal);
        expect(marked(id)).not.toEqual([]);
        await pair.release(terminal);
        expect(marked(id)).toEqual([]);
      },
    );

    it('[S2.08] shows live output in the session of that name, also after the release', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('echo shown; read line; echo later; exit 3');
      const { outcome } = await coordinator.wait(terminal, {
        since: startMark,
        match: ['^shown$'],
      });
      expect(outcome).toBe('matched');
      await coordinator.sendText(terminal, '\r');
      await pair.waitForExit(terminal);
      await pair.release(terminal);
      const { text } = await coordinator.screen(terminal);
      expect(text.slice(0, 3)).toEqual(['shown', '', 'later']);
      expect(await coordinator.info(terminal)).toMatchObject({
        state: 'exited',
        exitStatus: { code: 3, signal: null },
      });
    });

    it('keeps the newest released ones, or none if the limit is 0', async () => {
      const names = async () => (await fixture.coordinator.list()).map(({ name }) => name);
      const some = await fixture.another({ maxKeptReleased: 2 });
      const terminals = [];
      for (const _ of Array(4)) {
        const terminal = await some.run('true');
        await some.release(terminal);
        terminals.push(terminal);
      }
      expect(await names()).toEqual(terminals.slice(2));
      const none = await fixture.another({ keepReleasedMs: 0 });
      await none.release(await none.run('cat'));
      expect(await names()).toEqual(terminals.slice(2));
    });

    it('removes released ones after their time', async () => {
      const pair = await fixture.another({ keepReleasedMs: 50 });
      const terminal = await pair.run('true');
      await pair.release(terminal);
      await expect.poll(() => fixture.coordinator.list()).toEqual([]);
    });

    it('[S2.07] happens when the connection ends', async () => {
      const { pair, coordinator } = fixture;
      const terminals = await Promise.all([
        pair.run('cat'),
        pair.run('sleep 1000'),
        pair.run('true'),
      ]);
      const creating = ignored(pair.run('cat'), 'the connection closes');
      await pair.close();
      await creating;
      const sessions = await coordinator.list();
      expect(sessions.map(({ name }) => name)).toEqual(expect.arrayContaining(terminals));
      expect(sessions.every(({ state }) => state === 'exited')).toBe(true);
    });

    it('leaves nothing behind, a hundred times', async () => {
      const pair = await fixture.another({ keepReleasedMs: 0 });
      for (const _ of Array(20)) {
        const terminals = await Promise.all(Array.from({ length: 5 }, () => pair.run('cat')));
        await Promise.all(terminals.map((each) => pair.release(each)));
      }
      expect(await fixture.coordinator.list()).toEqual([]);
    });
  });

  describe('a conversation', () => {
    it('cannot use the terminals of another', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('cat');
      pair.sessionId = 'another';
      await expectUnknown(pair, terminal);
      expect(await coordinator.info(terminal)).toMatchObject({ state: 'running' });
      pair.sessionId = 'conversation';
      expect(await pair.output(terminal)).toMatchObject({ output: '' });
    });

    it('that ends keeps the terminals of others', async () => {
      const { pair, coordinator } = fixture;
      const mine = await pair.run('cat');
      pair.sessionId = 'another';
      const theirs = await pair.run('cat');
      await pair.mounted.releaseConversation('another');
      await expectUnknown(pair, theirs);
      expect(await coordinator.info(theirs)).toMatchObject({ state: 'exited' });
      expect(await coordinator.info(mine)).toMatchObject({ state: 'running' });
    });
  });
}
