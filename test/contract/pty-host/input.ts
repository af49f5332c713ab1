import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { testProgram } from '../../support/pty/pty-request.ts';
import type { HostFixture, Started } from '../pty-host.ts';

const megabyte = 1024 * 1024;

export function inputContract(fixture: HostFixture): void {
  describe('input', () => {
    /** Starts a program that sets its terminal to raw mode and does not read. */
    const deaf = async (): Promise<Started> => {
      const script = 'stty raw -echo; echo ready; exec sleep 1000';
      const started = await fixture.start('sh', ['-c', script]);
      await started.output.untilText('ready');
      return started;
    };

    it('arrives byte-exact in raw mode: 1 MB of any bytes', async () => {
      const bytes = Buffer.alloc(megabyte);
      for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 131 + (i >> 8) * 17) & 0xff;
      const sha1 = createHash('sha1').update(bytes).digest('hex');
      const { pty, output } = await fixture.start(process.execPath, [
        testProgram('hash-input.mjs'),
        String(bytes.length),
      ]);
      await output.untilText('ready');
      await pty.write(bytes);
      await output.untilText('end');
      expect(output.text).toContain(`${bytes.length} ${sha1} end`);
    });

    it('of several writes arrives in order, not interleaved', async () => {
      const each = 100_000;
      const { pty, output } = await fixture.start('sh', [
        '-c',
        `stty raw -echo; printf ready; exec head -c ${3 * each}`,
      ]);
      await output.untilText('ready');
      await Promise.all(['a', 'b', 'c'].map((letter) => pty.write(Buffer.alloc(each, letter))));
      await pty.exit;
      const runs = output.text
        .slice('ready'.length)
        .replace(/(.)\1*/g, (run) => `${run[0]}${run.length} `);
      expect(runs).toBe(`a${each} b${each} c${each} `);
    });

    it('reports the modes before and after it, unless they are not known at once', async () => {
      const modes = async (stty: string) => {
        const script = `stty ${stty}; echo ready; exec cat`;
        const { pty, output } = await fixture.start('sh', ['-c', script]);
        await output.untilText('ready');
        return (await pty.write(Buffer.from('x\n'))).modes;
      };
      const kinds = {
        'echo icanon': { echo: true, canonical: true },
        '-echo icanon': { echo: false, canonical: true },
        '-echo -icanon': { echo: false, canonical: false },
        'echo -icanon': { echo: true, canonical: false },
      };
      for (const [stty, inputModes] of Object.entries(kinds)) {
        const reported = await modes(stty);
        if (reported !== undefined) {
          expect(reported, stty).toEqual({ before: inputModes, after: inputModes });
        }
      }
    });

    it('that pauses arrives in pieces', async () => {
      // Each dd reads once.
      const script =
        'stty raw -echo; printf ready; for i in 1 2 3; do dd bs=9 count=1 2>/dev/null; printf ,; done';
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      await output.untilText('ready');
      await pty.write(Buffer.from('abcdef'), { pausesAt: [1, 3] });
      await pty.exit;
      expect(output.text).toBe('readya,bc,def,');
    });

    it('of no bytes is accepted', async () => {
      const { pty } = await deaf();
      await pty.write(new Uint8Array(0));
    });

    it('that is not read delays no other session', async () => {
      const { pty } = await deaf();
      const echo = await fixture.start('sh', ['-c', 'stty -echo; echo ready; exec cat']);
      await echo.output.untilText('ready');
      const rejected = expect(pty.write(Buffer.alloc(megabyte, 'x'))).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
      });
      for (let round = 0; round < 20; round++) {
        await echo.pty.write(Buffer.from(`round ${round}.\n`));
        await echo.output.untilText(`round ${round}.`);
      }
      await pty.end({ force: true });
      await rejected;
    });

    it('beyond the limit is refused as a whole', async () => {
      const { pty } = await deaf();
      const waiting = expect(pty.write(Buffer.alloc(3 * megabyte))).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
        details: { acceptedBytes: expect.any(Number) },
      });
      await expect(pty.write(Buffer.alloc(2 * megabyte))).rejects.toMatchObject({
        code: 'INPUT_BACKLOG',
      });
      await expect(pty.write(Buffer.alloc(5 * megabyte))).rejects.toMatchObject({
        code: 'INPUT_TOO_LARGE',
      });
      await pty.end({ force: true });
      await waiting;
    });

    it('can be withdrawn, and the error has the exact number of accepted bytes', async () => {
      const { pty, output } = await fixture.start(process.execPath, [
        testProgram('read-on-usr1.mjs'),
      ]);
      await output.untilText('ready');
      const cancel = new AbortController();
      const writing = pty.write(Buffer.alloc(megabyte, 'x'), { signal: cancel.signal });
      const meanwhile = await fixture.start('sleep', ['0.1']);
      await meanwhile.pty.exit;
      cancel.abort();
      const error = await writing.catch((reason) => reason);
      expect(error).toMatchObject({ code: 'CANCELLED' });
      const { acceptedBytes } = error.details;
      expect(acceptedBytes).toBeGreaterThan(0);
      expect(acceptedBytes).toBeLessThan(megabyte);
      const last = pty.write(Buffer.from('Z'));
      await pty.signal('USR1', 'leader');
      await last;
      await output.untilText(`${acceptedBytes} before Z`);
    });

    describe('that answers the query of a program', () => {
      const answer = Buffer.from('\x1b[1;1R');

      /** Starts a shell and, as its job, a program in raw mode. */
      const shellWithJob = async () => {
        const { PATH = '' } = process.env;
        const env = { PATH, PS1: 'prompt> ', TERM: 'dumb' };
        const started = await fixture.start('bash', ['--norc', '--noprofile', '-i'], { env });
        const job = "sh -c 'stty raw -echo; echo asks; exec cat -v'\n";
        await started.pty.write(Buffer.from(job));
        await started.output.untilText(/asks\n/);
        const reader = await vi.waitFor(async () => {
          const { program } = await started.pty.foreground();
          expect(program?.name).toBe('cat');
          return program?.pid ?? 0;
        });
        return { ...started, reader };
      };

      it('reaches the program that it is for', async () => {
        const { pty, output, reader } = await shellWithJob();
        await pty.write(answer, { answersTo: 1, reader });
        await output.untilText(/\^\[\[1;1R/);
      });

      it('is refused when that has left the terminal, and nothing is typed at the prompt', async () => {
        const { pty, output, reader } = await shellWithJob();
        await pty.signal('INT', 'foreground');
        await output.untilText(/asks[\s\S]*prompt> $/);
        await expect(pty.write(answer, { answersTo: 1, reader })).rejects.toMatchObject({
          code: 'CANCELLED',
          details: { acceptedBytes: 0 },
        });
        await pty.write(Buffer.from('echo next\n'));
        await output.untilText(/^next\r$/m);
        expect(output.text).not.toContain('1;1R');
      });

      it('is refused while that is suspended', async () => {
        const { pty, output, reader } = await shellWithJob();
        await pty.signal('TSTP', 'foreground');
        await output.untilText(/asks[\s\S]*prompt> $/);
        await expect(pty.write(answer, { answersTo: 1, reader })).rejects.toMatchObject({
          code: 'CANCELLED',
        });
      });

      it('is refused in canonical mode, where it would wait for an Enter', async () => {
        const { pty, output } = await fixture.start('sh', ['-c', 'echo ready; exec cat -v']);
        await output.untilText('ready');
        const { modes } = await pty.foregroundProgram();
        const write = pty.write(answer, { answersTo: 1, reader: pty.pid });
        // Not every binding reads the modes.
        if (modes === undefined) await write;
        else await expect(write).rejects.toMatchObject({ code: 'CANCELLED' });
      });
    });

    it('withdrawn while it is queued does not affect other writes', async () => {
      const { pty, output } = await fixture.start(process.execPath, [
        testProgram('read-on-usr1.mjs'),
      ]);
      await output.untilText('ready');
      const cancel = new AbortController();
      const first = pty.write(Buffer.alloc(100_000, 'x'));
      const second = pty.write(Buffer.alloc(1_000, 'y'), { signal: cancel.signal });
      const third = pty.write(Buffer.from('Z'));
      cancel.abort();
      await expect(second).rejects.toMatchObject({
        code: 'CANCELLED',
        details: { acceptedBytes: 0 },
      });
      await pty.signal('USR1', 'leader');
      await Promise.all([first, third]);
      await output.untilText('100000 before Z');
    });

    it('with an aborted signal is refused', async () => {
      const { pty } = await deaf();
      const writing = pty.write(Buffer.from('x'), { signal: AbortSignal.abort() });
      await expect(writing).rejects.toMatchObject({
        code: 'CANCELLED',
        details: { acceptedBytes: 0 },
      });
    });

    it('with the id of an earlier write is not written, and has the same result', async () => {
      const { pty, output } = await fixture.start(process.execPath, [
        testProgram('read-on-usr1.mjs'),
      ]);
      await output.untilText('ready');
      const bytes = Buffer.alloc(100_000, 'x');
      const first = pty.write(bytes, { inputId: 'a' });
      const repeated = pty.write(bytes, { inputId: 'a' });
      const last = pty.write(Buffer.from('Z'), { inputId: 'b' });
      await pty.signal('USR1', 'leader');
      await Promise.all([first, repeated, last]);
      await output.untilText('100000 before Z');
      expect(await pty.write(bytes, { inputId: 'a' })).toEqual(await first);
    });

    it('with the id of a write that typed nothing is written', async () => {
      const script = 'stty raw -echo; printf ready; exec head -c 3';
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      await output.untilText('ready');
      const tooLong = pty.write(Buffer.alloc(5 * megabyte), { inputId: 'a' });
      await expect(tooLong).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' });
      const written = await pty.write(Buffer.from('abc'), { inputId: 'a' });
      await pty.exit;
      expect(output.text).toBe('readyabc');
      // Its result is known after the exit, too.
      expect(await pty.write(Buffer.from('abc'), { inputId: 'a' })).toEqual(written);
    });
  });
}
