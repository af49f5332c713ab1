import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import { maxWaitMs } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

/** How long to wait for something that must not happen, in ms. */
const momentMs = 150;

export function waitForTextContract(fixture: CoordinatorFixture): void {
  describe('a wait for text', () => {
    /**
     * Waits while a script prints pieces one by one, each after an Enter that is not echoed, so
     * that the test decides where output is cut. Then the program exits.
     */
    const waitFor = async (pieces: readonly string[], pattern: string, before = ':') => {
      const { coordinator } = fixture;
      const script = [
        `stty -echo; ${before}; printf ready`,
        ...pieces.map((piece) => `printf '${piece}'`),
        ':',
      ].join('; read -r _; ');
      const session = await fixture.driver.ready(script, { size: { cols: 20, rows: 5 } });
      const result = coordinator.wait(session, { match: [pattern] });
      for (const _ of pieces) await coordinator.sendText(session, '\n');
      await ignored(coordinator.sendText(session, '\n'), 'the program may have ended');
      return result;
    };

    it('returns the match, the line and the text at that moment', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        'stty -echo; echo ready; read -r _; echo count 42; read -r _',
      );
      const waiting = coordinator.wait(session, { match: ['\\d+'], timeoutMs: 60_000 });
      await coordinator.sendText(session, '\n');
      expect(await waiting).toEqual({
        outcome: 'matched',
        pattern: { of: 'match', index: 0, source: '\\d+' },
        match: { line: 1, text: 'count 42', matched: '42', groups: [] },
        exitStatus: null,
        output: { head: '', tail: 'count 42', omitted: null, tokens: 2 },
        mark: expect.any(String),
        revision: expect.any(Number),
        timeoutMs: 60_000,
        elapsedMs: expect.any(Number),
      });
      const { revision } = await waiting;
      expect((await coordinator.screen(session)).revision).toBeGreaterThanOrEqual(revision);
    });

    it.each<[string, readonly string[], string, string]>([
      ['with escape codes in between', ['he\\033[31ml\\033[1;4ml\\033[mo'], 'hello', 'hello'],
      ['in pieces', ['he', 'll', 'o'], 'hello', 'hello'],
      ['with a character split into pieces', ['gr\\303', '\\274n'], 'grün', 'grün'],
      ['cut inside an escape code', ['he\\033[3', '1mllo'], 'hello', 'hello'],
      ['on a line that wraps', ['\\r\\n0123456789012345', '67890123456789'], '^\\d{30}$', '0'],
      [
        'that scrolls away at once',
        ['needle\\r\\n1\\r\\n2\\r\\n3\\r\\n4\\r\\n5\\r\\n6'],
        'needle',
        'needle',
      ],
      ['on the alternate screen', ['\\033[?1049h\\033[3;3Hmenu'], '^  menu$', 'menu'],
      ['right before the exit', ['bye'], 'bye', 'bye'],
      ['that is written again', ['ready'], 'ready', 'ready'],
      ['on an old line, with the text before it', [' steady'], 'ready steady', 'ready steady'],
    ])('finds text %s', async (_what, pieces, pattern, matched) => {
      expect(await waitFor(pieces, pattern)).toMatchObject({
        outcome: 'matched',
        match: { matched: expect.stringContaining(matched) },
      });
    });

    it.each<[string, string, string]>([
      ['on an earlier line', `printf 'old\\r\\n'`, '\\r\\nnew'],
      ['on the same line', `printf 'old '`, ' new'],
      ['in the scrollback', 'echo old; seq 1 9', '\\r\\nnew'],
      ['that is uncovered', `printf 'old\\033[?1049h\\033[H'`, '\\033[?1049l'],
    ])('does not find old text %s', async (_where, before, piece) => {
      expect((await waitFor([piece], 'old', before)).outcome).toBe('exited');
    });

    it('sees every effect of input sent after it, each time', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      for (let round = 0; round < 200; round++) {
        const waiting = coordinator.wait(session, { match: ['^round (\\d+)\\.$'] });
        await coordinator.sendText(session, `round ${round}.\n`);
        expect((await waiting).match?.matched).toBe(`round ${round}.`);
      }
    });

    it('reports a match before the exit as a match, else the exit', async () => {
      const { coordinator, driver } = fixture;
      const run = async (round: number) => {
        const words = round % 2 === 0 ? 'bye' : 'something else';
        const session = await driver.sh(`stty -echo; read -r _; echo ${words}; exit 3`);
        const waiting = coordinator.wait(session, { match: ['^bye'] });
        await coordinator.sendText(session, '\r');
        const { outcome, exitStatus } = await waiting;
        return `${outcome} ${outcome === 'exited' ? exitStatus?.code : ''}`;
      };
      const rounds = Array.from({ length: 40 }, (_, round) => round);
      const expected = rounds.map((round) => (round % 2 === 0 ? 'matched ' : 'exited 3'));
      expect(await Promise.all(rounds.map(run))).toEqual(expected);
    });

    it('ends at once if the program has exited, whatever the screen shows', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('echo here it is; exit 3');
      await driver.exitOf(session);
      expect(await coordinator.wait(session, { match: ['here'] })).toMatchObject({
        outcome: 'exited',
        exitStatus: { code: 3, signal: null },
      });
    });

    it('times out without effect on the program', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      const request = { match: ['never'], timeoutMs: momentMs };
      const result = await coordinator.wait(session, request);
      expect(result).toMatchObject({
        outcome: 'timed_out',
        exitStatus: null,
        timeoutMs: momentMs,
      });
      expect(result.match).toBeUndefined();
      expect(result.elapsedMs).toBeGreaterThanOrEqual(momentMs);
      expect((await coordinator.info(session)).state).toBe('running');
    });

    it.each([
      [-1, 0],
      [0, 0],
      [1e12, maxWaitMs],
      [Number.POSITIVE_INFINITY, maxWaitMs],
    ])('clamps a timeout of %s ms to %s', async (timeoutMs, clampedMs) => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _');
      const waiting = coordinator.wait(session, { match: ['never'], timeoutMs });
      if (clampedMs > 0) await coordinator.sendText(session, '\r');
      const outcome = clampedMs > 0 ? 'exited' : 'timed_out';
      expect(await waiting).toMatchObject({ outcome, timeoutMs: clampedMs });
    });

    it('is cancelled by its signal without effect on the program', async () => {
      const { coordinator, driver } = fixture;
      await driver.ready('echo ready; exec sleep 1000', { name: 'one' });
      const cancel = new AbortController();
      const request = { match: ['never'], signal: cancel.signal };
      const waiting = coordinator.wait('one', request);
      const cancelled = {
        code: 'CANCELLED',
        message: expect.stringMatching(/^session one: .*the program is not affected/),
      };
      cancel.abort();
      await expect(waiting).rejects.toMatchObject(cancelled);
      await expect(coordinator.wait('one', request)).rejects.toMatchObject(cancelled);
      await expect(coordinator.wait('one', request)).rejects.toMatchObject(cancelled);
      expect((await coordinator.info('one')).state).toBe('running');
    });

    it.each(['(', 'a(?=b)', '(a)\\1', '*', 'a'.repeat(5_000)])(
      'rejects a pattern that is not RE2: %.20s',
      async (pattern) => {
        await fixture.driver.spawn({ name: 'one', program: 'cat' });
        await expect(fixture.coordinator.wait('one', { match: [pattern] })).rejects.toMatchObject({
          code: 'INVALID_PATTERN',
          message: expect.stringMatching(/^session one: .*RE2/),
        });
      },
    );

    it('does not block others with a pattern that would backtrack', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty raw -echo; echo ready; exec cat');
      const waiting = coordinator.wait(session, { match: ['^(a+)+$|(x+x+)+y|(.*)*END'] });
      await coordinator.sendText(session, `!${'a'.repeat(50_000)}${'x'.repeat(60_000)}!`);
      await coordinator.sendText(session, 'END');
      expect((await waiting).outcome).toBe('matched');
    });

    it('runs next to a thousand others on the same session', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        'stty -echo; echo ready; read -r _; seq 1 1000; read -r _',
      );
      const waiting = Array.from({ length: 1000 }, (_, index) =>
        coordinator.wait(session, { match: [`^${index + 1}$`] }),
      );
      await coordinator.sendText(session, '\n');
      const texts = (await Promise.all(waiting)).map(({ match }) => match?.text);
      expect(texts).toEqual(Array.from({ length: 1000 }, (_, index) => String(index + 1)));
    });

    it('finds its line in the middle of a flood', async () => {
      const { coordinator, driver } = fixture;
      const flood = 'yes | head -n 50000';
      const session = await driver.ready(
        `stty -echo; echo ready; read -r _; ${flood}; echo needle; ${flood}`,
      );
      const waiting = coordinator.wait(session, { match: ['^needle$'] });
      await coordinator.sendText(session, '\r');
      expect(await waiting).toMatchObject({
        outcome: 'matched',
        match: { line: 50_001, text: 'needle' },
      });
    });
  });
}
