import { describe, expect, it } from 'vitest';
import { ignored } from '#base';
import type { ReadLinesRequest } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

export function linesContract(fixture: CoordinatorFixture): void {
  describe('lines', () => {
    it('[S3.25] are kept by number: 10,000 of scrollback by default', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('seq 0 11999');
      await driver.exitOf(session);
      const all = await coordinator.readLines(session);
      // The cursor's line is the last of 24 rows, and it is empty.
      expect(all).toMatchObject({ firstLine: 1977, topLine: 11_977, endLine: 12_000, dropped: 0 });
      expect(all.lines.map(({ number, text }) => `${number}:${text}`)).toEqual(
        Array.from({ length: 12_000 - 1977 }, (_, index) => `${1977 + index}:${1977 + index}`),
      );
      const some = await coordinator.readLines(session, { from: 1970, to: 1980 });
      expect(some.dropped).toBe(7);
      expect(some.lines.map(({ text }) => text)).toEqual(['1977', '1978', '1979']);
    });

    it('are kept up to the limit of the coordinator; the oldest are dropped', async () => {
      const scrollback = { maxLines: 50, maxBytes: 1 << 20 };
      const driver = await fixture.another({ scrollback });
      const session = await driver.sh('seq 0 999');
      await driver.exitOf(session);
      const { firstLine, topLine, lines } = await driver.coordinator.readLines(session);
      expect(topLine - firstLine).toBe(50);
      expect(lines.at(0)).toEqual({ number: firstLine, text: String(firstLine) });
      expect(lines.at(-1)).toEqual({ number: 999, text: '999' });
    });

    it('are kept up to the limit of the session if it has one', async () => {
      const driver = await fixture.another({ scrollback: { maxLines: 50, maxBytes: 1 << 20 } });
      for (const scrollbackLines of [0, 20, 100]) {
        const session = await driver.sh('seq 0 999', { scrollbackLines });
        await driver.exitOf(session);
        const { firstLine, topLine, lines } = await driver.coordinator.readLines(session);
        expect(topLine - firstLine).toBe(scrollbackLines);
        expect(lines.at(-1)).toEqual({ number: 999, text: '999' });
      }
    });

    it('are unwrapped: a line on several rows is one', async () => {
      const { coordinator, driver } = fixture;
      const long = 'x'.repeat(95);
      const session = await driver.sh(`echo ${long}; echo ready`, { size: { cols: 20, rows: 5 } });
      await driver.exitOf(session);
      expect((await coordinator.readLines(session)).lines).toEqual([
        { number: 0, text: long },
        { number: 1, text: 'ready' },
      ]);
    });

    it('above the screen include the beginning of the line at its top', async () => {
      const { coordinator, driver } = fixture;
      const long = `${'a'.repeat(20)}${'b'.repeat(20)}${'c'.repeat(20)}`;
      const script = `echo one; echo ${long}; printf '2\\n3\\n4\\n5'`;
      const session = await driver.sh(script, { size: { cols: 20, rows: 5 } });
      await driver.exitOf(session);
      const above = [
        { number: 0, text: 'one' },
        { number: 1, text: long.slice(0, 40) },
      ];
      const { text } = await coordinator.screen(session);
      expect(text).toEqual(['c'.repeat(20), '2', '3', '4', '5']);
      const aboveScreen = true;
      for (const request of [{}, { redact: true }, { format: 'ansi' as const }]) {
        const { lines } = await coordinator.readLines(session, { ...request, aboveScreen, to: 1 });
        expect(lines).toEqual(above);
      }
      await ignored(coordinator.resize(session, { cols: 60, rows: 5 }), 'the program has ended');
      const whole = await coordinator.readLines(session, { aboveScreen, from: 1 });
      expect(whole.lines.map((line) => line.text)).toEqual([long.slice(0, 40)]);
    });

    it('above a screen that has moved on since end where it began', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh("seq 1 9; printf '10'", { size: { cols: 20, rows: 5 } });
      await driver.exitOf(session);
      const { topLine } = await coordinator.screen(session);
      const to = topLine - 2;
      const { lines } = await coordinator.readLines(session, { aboveScreen: true, to });
      expect(lines.map(({ number }) => number)).toEqual([0, 1, 2]);
    });

    it('are the same at any width', async () => {
      const { coordinator, driver } = fixture;
      const long = 'x'.repeat(95);
      const script = `for n in 0 1 2 3 4 5 6 7; do echo $n-${long}; done; printf ready; exec sleep 1000`;
      const session = await driver.ready(script, { size: { cols: 20, rows: 5 } });
      const { lines } = await coordinator.readLines(session);
      expect(lines.map(({ number, text }) => [number, text.length])).toEqual([
        ...Array.from({ length: 8 }, (_, number) => [number, 97]),
        [8, 5],
      ]);
      for (const size of [
        { cols: 7, rows: 3 },
        { cols: 200, rows: 40 },
        { cols: 96, rows: 2 },
      ]) {
        await coordinator.resize(session, size);
        expect((await coordinator.readLines(session)).lines).toEqual(lines);
      }
    });

    it('are rendered as text, ANSI and cells', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(`printf '\\033[31;1mred\\033[m'`);
      await driver.exitOf(session);
      const line = async (format: ReadLinesRequest['format'] = 'text') =>
        (await coordinator.readLines(session, { format })).lines[0];
      expect(await line()).toEqual({ number: 0, text: 'red' });
      expect((await line('ansi'))?.text).toMatch(/^\x1b\[[\d;]*m?.*red/);
      expect((await line('cells'))?.cells?.[0]).toMatchObject({
        text: 'r',
        width: 1,
        style: { fg: 1, bold: true, italic: false },
      });
    });

    it('are not those of the alternate screen', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(`printf 'below\\033[?1049h\\033[Hmenu'; exec sleep 1000`);
      await driver.untilShown(session, 'menu');
      const { lines } = await coordinator.readLines(session);
      expect(lines).toEqual([{ number: 0, text: 'below' }]);
    });

    it.each([
      ['a negative number', { from: -1 }, /from is -1/],
      ['a fraction', { to: 0.5 }, /to is 0.5/],
      ['an unknown format', { format: 'html' as 'text' }, /"html".*text, ansi, cells/],
    ])('by %s are rejected', async (_what, request, says) => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const reading = fixture.coordinator.readLines('one', request);
      await expect(reading).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(says),
      });
      await expect(reading).rejects.toThrow(/^session one: /);
    });
  });
}
