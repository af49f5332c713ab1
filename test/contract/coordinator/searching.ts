import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

export function searchingContract(fixture: CoordinatorFixture): void {
  describe('a search', () => {
    it('finds lines of scrollback and screen by number, with context', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('seq 0 1999');
      await driver.exitOf(session);
      const result = await coordinator.search(session, {
        pattern: '^\\d*99$',
        before: 1,
        after: 2,
      });
      expect(result).toMatchObject({ firstLine: 0, truncated: false });
      expect(result.matches).toHaveLength(20);
      expect(result.matches[1]).toEqual({
        line: 199,
        text: '199',
        start: 0,
        end: 3,
        before: ['198'],
        after: ['200', '201'],
      });
      expect(result.matches.at(-1)).toMatchObject({ line: 1999, before: ['1998'], after: [] });
    });

    it('returns absolute line numbers, also after lines are dropped', async () => {
      const scrollback = { maxLines: 50, maxBytes: 1 << 20 };
      const driver = await fixture.another({ scrollback });
      const session = await driver.sh('seq 0 999');
      await driver.exitOf(session);
      const result = await driver.coordinator.search(session, { pattern: '9' });
      const { firstLine } = await driver.coordinator.readLines(session);
      expect(result.firstLine).toBe(firstLine);
      expect(result.matches[0]).toMatchObject({ line: firstLine, text: String(firstLine) });
    });

    it('returns 100 matches by default, and reports that there are more', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('yes | head -n 300');
      await driver.exitOf(session);
      const some = await coordinator.search(session, { pattern: 'y' });
      expect([some.matches.length, some.truncated]).toEqual([100, true]);
      const all = await coordinator.search(session, { pattern: 'y', maxMatches: 1000 });
      expect([all.matches.length, all.truncated]).toEqual([300, false]);
    });

    it('matches unwrapped lines without escape codes', async () => {
      const { coordinator, driver } = fixture;
      const script = `printf 'aaaaaaaa\\033[31mbbbbbbbb\\033[0mcccccccc'`;
      const session = await driver.sh(script, { size: { cols: 10, rows: 5 } });
      await driver.exitOf(session);
      const { matches } = await coordinator.search(session, { pattern: 'ab+c' });
      expect(matches).toMatchObject([{ line: 0, start: 7, end: 17 }]);
    });

    it.each<[string, SearchRequest, number[]]>([
      ['from a line on', { pattern: '5$', from: 30 }, [35, 45]],
      ['up to a line', { pattern: '5$', to: 15 }, [5]],
      ['between lines', { pattern: '5$', from: 15, to: 26 }, [15, 25]],
      ['past the end', { pattern: '5$', from: 40, to: 1e9 }, [45]],
      ['an empty range', { pattern: '5$', from: 30, to: 20 }, []],
    ])('searches %s', async (_where, request, lines) => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('seq 0 49');
      await driver.exitOf(session);
      const { matches } = await coordinator.search(session, request);
      expect(matches.map(({ line }) => line)).toEqual(lines);
    });

    it.each<[string, SearchRequest, string, RegExp]>([
      ['half a line number', { pattern: 'x', from: 0.5 }, 'INVALID_ARGUMENT', /from is 0.5/],
      ['a line before the first', { pattern: 'x', to: -1 }, 'INVALID_ARGUMENT', /to is -1/],
      ['half a command', { pattern: 'x', command: 1.5 }, 'INVALID_ARGUMENT', /command is 1.5/],
      ['a command that none is', { pattern: 'x', command: 7 }, 'COMMAND_NOT_FOUND', /shell/],
      ['a pattern that is not RE2', { pattern: '(' }, 'INVALID_PATTERN', /RE2/],
      ['an empty pattern', { pattern: '' }, 'INVALID_PATTERN', /"" is empty/],
      ['half a line', { pattern: 'x', before: 0.5 }, 'INVALID_ARGUMENT', /before is 0.5/],
      ['less than none', { pattern: 'x', after: -1 }, 'INVALID_ARGUMENT', /after is -1/],
      ['no matches', { pattern: 'x', maxMatches: 0 }, 'INVALID_ARGUMENT', /maxMatches is 0/],
    ])('by %s is rejected', async (_what, request, code, says) => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const searching = fixture.coordinator.search('one', request);
      await expect(searching).rejects.toMatchObject({
        code,
        message: expect.stringMatching(says),
      });
      await expect(searching).rejects.toThrow(/^session one: /);
    });

    it('is cancelled by its signal', async () => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const request = { pattern: 'x', signal: AbortSignal.abort() };
      const cancelled = { code: 'CANCELLED', message: 'session one: the search was cancelled' };
      const searching = fixture.coordinator.search('one', request);
      await expect(searching).rejects.toMatchObject(cancelled);
    });

    it('does not block others with a pattern that would backtrack', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(`head -c 60000 /dev/zero | tr '\\0' a; echo '!'`);
      await driver.exitOf(session);
      const { matches } = await coordinator.search(session, { pattern: '^(a+)+$|(a|aa)+b' });
      expect(matches).toEqual([]);
    });
  });
}
