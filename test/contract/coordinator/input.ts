import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testProgram } from '../../support/pty/pty-request.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const megabyte = 1024 * 1024;

/** Bytes of every value. */
function manyBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 131 + (at >> 8) * 17) & 0xff;
  return bytes;
}

export function inputContract(fixture: CoordinatorFixture): void {
  describe('input', () => {
    /** A program with its terminal in raw mode that does not read. */
    const deaf = () => fixture.driver.ready('stty raw -echo; echo ready; exec sleep 1000');

    /** A program that prints its input, escaped; the argument sets its terminal's mode. */
    const shows = (mode = 'raw -echo') =>
      fixture.driver.ready(`stty ${mode}; printf 'ready\\r\\n'; exec cat -v`);

    it('sends text unchanged', async () => {
      const session = await shows();
      await fixture.coordinator.sendText(session, 'two\nlines\tä\r');
      await fixture.driver.untilShown(session, /two\n +lines\tM-CM-\$\^M/);
    });

    it('sends bytes unchanged: 1 MiB with all values', async () => {
      const bytes = manyBytes(megabyte);
      const sha1 = createHash('sha1').update(bytes).digest('hex');
      const session = await fixture.driver.spawn({
        program: process.execPath,
        args: [testProgram('hash-input.mjs'), String(bytes.length)],
      });
      await fixture.driver.untilShown(session, 'ready');
      const sending = fixture.coordinator.sendBytes(session, bytes);
      // Copied at the call: the caller may change the array.
      bytes.fill(0);
      await sending;
      await fixture.driver.untilShown(session, `${bytes.length} ${sha1} end`);
    });

    it('with the id of another call is refused, and a repeat types nothing', async () => {
      const { coordinator, driver } = fixture;
      const session = await shows();
      const calls = {
        text: (text: string) => coordinator.sendText(session, text, { inputId: 'text' }),
        keys: (key: string) => coordinator.sendKeys(session, [key], { inputId: 'keys' }),
        bytes: (byte: string) =>
          coordinator.sendBytes(session, Buffer.from(byte), { inputId: 'bytes' }),
      };
      const used = { code: 'INPUT_ID_USED' };
      for (const call of Object.values(calls)) {
        await call('a');
        await call('a');
        await expect(call('b')).rejects.toMatchObject(used);
      }
      const program = { program: 'cat', inputId: 'spawn' };
      const { id } = await coordinator.spawn(program);
      const wait = { timeoutMs: 0 };
      expect((await coordinator.spawn({ ...program, wait })).id).toBe(id);
      await expect(coordinator.spawn({ ...program, args: ['-v'] })).rejects.toMatchObject(used);
      await expect(coordinator.revive(session, { inputId: 'spawn' })).rejects.toMatchObject(used);
      await coordinator.sendText(session, '.');
      await driver.untilShown(session, /^ready\naaa\.$/);
    });

    it('is withdrawn after the timeout, with the exact count of accepted bytes', async () => {
      const session = await fixture.driver.spawn({
        name: 'deaf',
        program: process.execPath,
        args: [testProgram('read-on-usr1.mjs')],
      });
      await fixture.driver.untilShown(session, 'ready');
      const { coordinator } = fixture;
      let acceptedBytes = 0;
      // On a busy machine, the time may be over before any byte is accepted.
      while (acceptedBytes === 0) {
        const sending = coordinator.sendBytes(session, Buffer.alloc(megabyte, 'x'), {
          timeoutMs: 300,
        });
        const error = await sending.catch((reason) => reason);
        expect(error).toMatchObject({
          code: 'INPUT_TIMEOUT',
          message: expect.stringMatching(/^session deaf: .*within 300 ms; interrupt it, or send/),
          details: { acceptedBytes: expect.any(Number) },
        });
        acceptedBytes = error.details.acceptedBytes;
        expect(error.message).toContain(`${acceptedBytes} bytes`);
      }
      expect(acceptedBytes).toBeLessThan(megabyte);
      // Withdrawn input never arrives, and accepted input arrives once.
      const last = coordinator.sendText(session, 'Z');
      await coordinator.kill(session, 'USR1');
      await last;
      await fixture.driver.untilShown(session, `${acceptedBytes} before Z`);
    });

    it('with a timeout of 0 is accepted as far as there is room', async () => {
      const session = await deaf();
      const options = { timeoutMs: 0 };
      await fixture.coordinator.sendText(session, 'fits', options);
      const bytes = Buffer.alloc(100_000);
      await expect(fixture.coordinator.sendBytes(session, bytes, options)).rejects.toMatchObject({
        code: 'INPUT_TIMEOUT',
        message: expect.stringContaining('within 0 ms'),
      });
    });

    it.each([
      ['by lines', 'icanon', 4095],
      ['by lines, after it was raw', 'raw; stty icanon', 4095],
      ['raw', 'raw', null],
    ])(
      'of a long line to a program that reads %s is complete, or reported as truncated',
      async (_how, mode, count) => {
        const { coordinator, driver } = fixture;
        const session = await driver.ready(`stty -echo ${mode}; echo ready; head -n1 | wc -c`);
        const text = `${'x'.repeat(6_000)}\n`;
        const limit = count === null || process.platform !== 'darwin' ? count : 1024;
        const { lineCutAtBytes = null } = await coordinator.sendText(session, text);
        expect(lineCutAtBytes).toBe(limit);
        await driver.exitOf(session);
        const [, length] = /ready\s+(\d+)/.exec(await driver.text(session)) ?? [];
        expect(Number(length)).toBe((count ?? 6_000) + 1);
      },
    );

    it('of several lines is pasted on the primary screen, typed on the alternate one', async () => {
      const { coordinator, driver } = fixture;
      const script = "stty raw -echo; printf '\\033[?2004h%sready'; head -c 3 >/dev/null";
      const send = async (screen: string) => {
        const session = await driver.ready(script.replace('%s', screen));
        return (await coordinator.sendText(session, 'a\nb', { paste: 'auto' })).pasted ?? false;
      };
      expect([await send(''), await send('\\033[?1049h')]).toEqual([true, false]);
    });

    it('of the mouse and the focus is sent as requested, in one write', async () => {
      const { coordinator, driver } = fixture;
      const script = "stty raw -echo; printf '\\033[?%sready'; exec cat -v";
      const session = await driver.ready(script.replace('%s', '1002;1006;1004h'));
      const rightWithCtrl = { button: 'right', ctrl: true } as const;
      const result = await coordinator.sendMouse(session, [
        { action: 'move', row: 2, col: 2 },
        { action: 'press', ...rightWithCtrl, row: 2, col: 3 },
        { action: 'move', ...rightWithCtrl, row: 2, col: 3 },
        { action: 'move', ...rightWithCtrl, row: 4, col: 79 },
        { action: 'release', ...rightWithCtrl, row: 4, col: 79 },
        { action: 'scrollDown', row: 0, col: 0 },
      ]);
      expect(result.ignored).toBeUndefined();
      await coordinator.sendFocus(session, false);
      const report = '^[[<18;4;3M^[[<50;80;5M^[[<18;80;5m^[[<65;1;1M^[[O';
      await driver.untilShown(session, new RegExp(report.replace(/[[^\]]/g, '\\$&')));
      const off = { action: 'press', row: 24, col: 0 } as const;
      await expect(coordinator.sendMouse(session, [off])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/row 24 is not on the screen, whose rows are 0 to 23/),
      });
      await expect(coordinator.sendMouse(session, [])).rejects.toMatchObject({ code: 'NO_INPUT' });
    });

    it('of the focus is what a program is told that asks for it later', async () => {
      const { coordinator, driver } = fixture;
      const ask = "printf '\\033[?1004h'";
      const script = `stty raw -echo; printf ready; head -c 1 > /dev/null; ${ask}; exec cat -v`;
      const session = await driver.ready(script);
      expect((await coordinator.sendFocus(session, true)).ignored).toBe(true);
      await coordinator.sendText(session, 'gend');
      await driver.untilShown(session, /readyend/);
    });

    it('of the mouse that no program requested is ignored, and not waited for', async () => {
      const { coordinator } = fixture;
      const session = await shows();
      const wait = { match: ['never'], timeoutMs: 60_000 };
      const press = { action: 'press', row: 1, col: 1 } as const;
      const result = await coordinator.sendMouse(session, [press], { wait });
      expect(result).toMatchObject({ ignored: true, mark: expect.any(String) });
      expect(result.wait).toBeUndefined();
      expect((await coordinator.sendFocus(session, true)).ignored).toBe(true);
      await coordinator.sendText(session, 'end');
      await fixture.driver.untilShown(session, /ready\s+end/);
    });

    it('of the mouse is on the only match of a pattern on the screen', async () => {
      const { coordinator, driver } = fixture;
      const screen = '\\033[?1049h\\033[?1000;1006h\\033[3;5H日本 [ OK ]  [ No ]  [ No ]';
      const script = `stty raw -echo; printf '${screen}\\033[Hready'; exec cat -v`;
      const session = await driver.ready(script);
      // Wherever it is without the match.
      const click = { action: 'press', row: 999, col: 0 } as const;
      const result = await coordinator.sendMouse(session, [click], { on: '\\[ *OK *\\]' });
      expect(result.matches).toEqual([{ row: 2, col: 9, cols: 6, text: '[ OK ]' }]);
      await driver.untilShown(session, /\^\[\[<0;12;3M/);
      const several = await coordinator.sendMouse(session, [click], { on: 'No' });
      expect(several).toMatchObject({ ignored: true, matches: [{ col: 19 }, { col: 27 }] });
      const none = await coordinator.sendMouse(session, [click], { on: 'Maybe' });
      expect(none).toMatchObject({ ignored: true, matches: [] });
      const invalid = coordinator.sendMouse(session, [click], { on: '(' });
      await expect(invalid).rejects.toMatchObject({ code: 'INVALID_PATTERN' });
    });

    it('is rejected if empty', async () => {
      const { coordinator, driver } = fixture;
      await driver.spawn({ name: 'deaf', program: 'cat' });
      const refused = {
        code: 'NO_INPUT',
        message: expect.stringMatching(/^session deaf: .*give text, keys or bytes/),
      };
      await expect(coordinator.sendText('deaf', '')).rejects.toMatchObject(refused);
      await expect(coordinator.sendKeys('deaf', [])).rejects.toMatchObject(refused);
      await expect(coordinator.sendBytes('deaf', new Uint8Array(0))).rejects.toMatchObject(refused);
    });

    it('of more than 1 MiB is rejected as a whole', async () => {
      const { coordinator } = fixture;
      const session = await shows();
      await expect(
        coordinator.sendBytes(session, new Uint8Array(megabyte + 1)),
      ).rejects.toMatchObject({
        code: 'INPUT_TOO_LARGE',
        message: expect.stringMatching(/at most 1048576 at once/),
        details: { bytes: megabyte + 1, maxBytes: megabyte },
      });
      await coordinator.sendText(session, 'end');
      await fixture.driver.untilShown(session, /ready\nend/);
    });

    it('over the limit of waiting input is rejected as a whole, until the program reads', async () => {
      const { coordinator, driver } = fixture;
      const session = await deaf();
      const sending = Array.from({ length: 4 }, () =>
        coordinator.sendBytes(session, new Uint8Array(megabyte), { timeoutMs: 60_000 }),
      );
      const ends = sending.map((each) => driver.codeOf(each));
      await expect(coordinator.sendBytes(session, new Uint8Array(megabyte))).rejects.toMatchObject({
        code: 'INPUT_BACKLOG',
        message: expect.stringMatching(new RegExp(`session ${session.name}: .*interrupt it`)),
      });
      await coordinator.kill(session, 'KILL');
      expect(await Promise.all(ends)).toEqual(Array(4).fill('SESSION_NOT_RUNNING'));
    });

    it('that waits when the program ends fails, with the count of accepted bytes', async () => {
      const { coordinator } = fixture;
      const session = await deaf();
      const sending = coordinator.sendBytes(session, new Uint8Array(megabyte));
      const refused = expect(sending).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
        message: expect.stringMatching(/^session \S+: .*\d+ bytes were accepted/),
        details: { acceptedBytes: expect.any(Number) },
      });
      await coordinator.kill(session, 'KILL');
      await refused;
    });
  });
}
