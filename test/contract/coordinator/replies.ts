import { describe, expect, it } from 'vitest';
import { loadBinding } from '../../../src/pty/start/load-binding.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

export function repliesContract(fixture: CoordinatorFixture): void {
  describe('the terminal answers its program', () => {
    it.each([
      ['the cursor position', '\\033[3;7H\\033[6n', '\\^\\[\\[3;7R'],
      ['that all is well', '\\033[5n', '\\^\\[\\[0n'],
      ['its identity', '\\033[c', '\\^\\[\\[\\?6\\d;[\\d;]*c'],
      ['which mode is set', '\\033[?25$p', '\\^\\[\\[\\?25;1\\$y'],
    ])('%s', async (_what, question, answer) => {
      // A reply is written in one call, so one read returns all of it.
      const read = 'dd bs=64 count=1 2>/dev/null';
      const script = `stty raw -echo; printf '${question}'; ${read} | cat -v; echo END`;
      const session = await fixture.driver.sh(script);
      await fixture.driver.untilShown(session, new RegExp(`${answer}END`));
    });

    it.each([
      ['a title', '\\033]2;echo evil\\007\\033[21t'],
      ['an unknown mode', '\\033P$qevil\\033\\\\'],
      ['the clipboard', '\\033]52;c;?\\007'],
      ['a capability', '\\033P+q6576696c\\033\\\\'],
      ['ENQ', '\\005'],
    ])('never with text chosen by the output: %s', async (_what, question) => {
      // Prints its input byte by byte, up to the typed input.
      const read = 'while c=$(head -c 1); do printf %s "$c"; [ "$c" != m ] || break; done';
      const script = `stty raw -echo; printf '${question}ready'; ${read} | cat -v; echo END`;
      const session = await fixture.driver.ready(script);
      await fixture.coordinator.sendText(session, 'm');
      await fixture.driver.untilShown(session, /ready.*mEND/);
      expect(await fixture.driver.text(session)).not.toMatch(/evil|6576696c/i);
    });

    it('within bounds after 100,000 queries without a read', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({
        program: process.execPath,
        args: [testProgram('ask-terminal.mjs'), '100000'],
      });
      await driver.untilShown(session, 'ready');
      // ESC [ 1 ; 1 R
      const allBytes = 6 * 100_000;
      // A busy kernel counts what it has taken late. Without the C library, it takes some more.
      const maxBytes = loadBinding().canMark ? 3 * 4096 : 32 * 1024;
      const dropped = async () => (await coordinator.info(session)).droppedReplyBytes ?? 0;
      // Before, some are on their way to the terminal, in addition to what it has.
      await expect.poll(dropped).toBeGreaterThanOrEqual(allBytes - maxBytes);
      const typed = [
        coordinator.sendText(session, 'x'.repeat(100_000)),
        coordinator.sendText(session, 'y'),
        coordinator.sendText(session, 'Z'),
      ];
      await coordinator.kill(session, 'USR1');
      await Promise.all(typed);
      const readReplies = async () =>
        [...(await driver.text(session)).matchAll(/(\d+) of answers; (.*)$/gm)].at(-1);
      const answered = async () => Number((await readReplies())?.[1]);
      // Those that waited may come after what was typed.
      await expect.poll(async () => (await answered()) + (await dropped())).toBe(allBytes);
      const answers = await answered();
      expect(answers).toBeGreaterThan(0);
      expect(answers).toBeLessThanOrEqual(maxBytes);
      expect((await readReplies())?.[2]).toBe('x100000 y1 Z1 whole end');
    });
  });
}
