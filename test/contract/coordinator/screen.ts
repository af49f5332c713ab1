import { describe, expect, it } from 'vitest';
import { applyFrame, initialViewModes } from '#model';
import { needs } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Output of a program (as for printf), with the expected rows and cursor. */
const cases: readonly [string, string, readonly string[], readonly [number, number]][] = [
  ['text and line ends', 'one\\r\\n  two', ['one', '  two'], [1, 5]],
  ['a cursor that is placed', 'abc\\033[2;3Hx\\033[H', ['abc', '  x'], [0, 0]],
  ['a line that wraps', 'abcdefghijklm', ['abcdefghij', 'klm'], [1, 3]],
  ['scrolled lines', '1\\r\\n2\\r\\n3\\r\\n4\\r\\n5', ['2', '3', '4', '5'], [3, 1]],
  ['a scroll region', '\\033[2;3ra\\r\\nb\\r\\nc\\r\\nd', ['a', 'c', 'd'], [2, 1]],
  ['wide characters', '漢字a', ['漢字a'], [0, 5]],
  ['a mark on a letter', 'e\\314\\201x', ['e\u0301x'], [0, 2]],
  ['bytes that are not valid UTF-8', 'a\\377b', ['a\ufffdb'], [0, 3]],
  ['renditions, which are not text', '\\033[1;31;48;5;4mred\\033[m', ['red'], [0, 3]],
  ['unknown sequences', 'a\\033[?9999z\\033]999;x\\007\\033_x\\033\\\\b', ['ab'], [0, 2]],
];

export function screenContract(fixture: CoordinatorFixture): void {
  describe('screen', () => {
    const shown = async (output: string) => {
      const session = await fixture.driver.sh(`printf '${output}'`, {
        size: { cols: 10, rows: 4 },
      });
      await fixture.driver.exitOf(session);
      return { session, screen: await fixture.coordinator.screen(session) };
    };

    it.each(cases)('[S1.25] shows %s', async (_what, output, rows, [row, col]) => {
      const { screen } = await shown(output);
      expect(screen.text).toEqual([...rows, '', '', '', ''].slice(0, 4));
      expect(screen).toMatchObject({
        size: { cols: 10, rows: 4 },
        alternate: false,
        cursor: { row, col, visible: true },
      });
    });

    it('[S1.25] shows the alternate screen, then the unchanged primary screen', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(
        `stty -echo; printf 'shell\\033[?1049h\\033[H\\033[?25lmenu'; read -r _; printf '\\033[?25h\\033[?1049l'`,
        { size: { cols: 10, rows: 4 } },
      );
      await driver.untilShown(session, 'menu');
      expect(await coordinator.screen(session)).toMatchObject({
        alternate: true,
        text: ['menu', '', '', ''],
        cursor: { row: 0, col: 4, visible: false },
      });
      await coordinator.sendText(session, '\r');
      await driver.exitOf(session);
      expect(await coordinator.screen(session)).toMatchObject({
        alternate: false,
        text: ['shell', '', '', ''],
        cursor: { row: 0, col: 5, visible: true },
      });
    });

    it('the frame of a session is its info and its screen', async () => {
      const { coordinator } = fixture;
      const { session } = await shown(
        '\\033[1;31;48;5;4mred\\033[m 漢字e\\314\\201\\r\\n\\n\\033[7mx',
      );
      const { info, frame } = await coordinator.frame(session);
      expect(info).toEqual(await coordinator.info(session));
      const {
        cells,
        text: _,
        topLine: _top,
        ...screen
      } = await coordinator.screen(session, {
        format: 'cells',
      });
      expect(frame).toMatchObject({ ...screen, full: true, modes: initialViewModes });
      expect(applyFrame([], frame)).toEqual(cells);
    });

    it('[S1.25] has the title, as the events and the session have', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh(`read -r _; printf '\\033]2;b\\303\\244u\\007'`);
      const subscription = await coordinator.subscribe(session);
      await coordinator.sendText(session, '\r');
      await driver.exitOf(session);
      expect((await coordinator.screen(session)).title).toBe('bäu');
      expect((await coordinator.info(session)).title).toBe('bäu');
      const titles = [];
      for await (const event of subscription) if (event.type === 'title') titles.push(event.title);
      expect(titles).toEqual(['bäu']);
    });

    it('is rendered as text, ANSI and cells', async () => {
      const output = '\\033[1;31mr\\033[4:3;58;5;9;7mg\\033[0;38;2;1;2;3;48;5;200mb\\033[m漢';
      const { session } = await shown(output);
      const { coordinator } = fixture;
      const plain = await coordinator.screen(session, { format: 'text' });
      expect([plain.text[0], plain.cells]).toEqual(['rgb漢', undefined]);
      const ansi = await coordinator.screen(session, { format: 'ansi' });
      expect([ansi.text[0], ansi.cells]).toEqual([
        expect.stringMatching(/^\x1b.*r.*g.*b/),
        undefined,
      ]);
      const { cells, text } = await coordinator.screen(session, { format: 'cells' });
      expect(text).toEqual(['', '', '', '']);
      expect(cells?.map((row) => row.length)).toEqual([10, 10, 10, 10]);
      expect(cells?.[0]?.slice(0, 6)).toMatchObject([
        { text: 'r', width: 1, style: { fg: 1, bg: null, bold: true, inverse: false } },
        { text: 'g', style: { bold: true, underline: 'curly', underlineColor: 9, inverse: true } },
        { text: 'b', style: { fg: '#010203', bg: 200, bold: false, underline: 'none' } },
        { text: '漢', width: 2, style: { fg: null } },
        { text: '', width: 0 },
        { text: ' ', width: 1 },
      ]);
    });

    it('in an unknown format is rejected', async () => {
      const { session } = await shown('');
      const request = { format: 'html' as 'text' };
      await expect(fixture.coordinator.screen(session, request)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^session \S+: .*"html".*text, ansi, cells/),
      });
    });

    it('is at least as new as any event received before', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('for i in 1 2 3 4 5 6 7 8 9; do echo $i; done');
      for await (const event of await coordinator.subscribe(session)) {
        const { revision } = await coordinator.screen(session);
        expect(revision).toBeGreaterThanOrEqual(event.revision);
      }
    });

    needs('vim')('can be read after vim was killed', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({
        program: 'vim',
        args: ['-u', 'NONE', '-i', 'NONE', '-n'],
      });
      await driver.untilShown(session, /VIM - Vi IMproved/);
      await coordinator.kill(session, 'KILL');
      expect(await driver.exitOf(session)).toEqual({ code: null, signal: 'SIGKILL' });
      const screen = await coordinator.screen(session);
      expect(screen.alternate).toBe(true);
      expect(screen.text.join('\n')).toContain('VIM - Vi IMproved');
    });
  });
}
