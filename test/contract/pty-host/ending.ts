import { describe, expect, it, vi } from 'vitest';
import type { Pty, PtySpawnRequest } from '#pty';
import { hasProc, isAlive, marked } from '../../support/pty/process-facts.ts';
import { freshId, testProgram } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture, Started } from '../pty-host.ts';

/** The time that programs have to end by themselves. */
const graceMs = 5_000;

/** Longer than any test. */
const hourMs = 3_600_000;

/** Ignores HUP and INT, and reports TERM. */
const reportTerm =
  'trap "" HUP INT; trap "echo TERM" TERM; echo ready; while :; do sleep 0.02; done';

export function endingContract(fixture: HostFixture): void {
  describe('end', () => {
    const started = async (
      program: string,
      args: readonly string[] = [],
      more: Partial<PtySpawnRequest> = {},
    ): Promise<Started & { id: string }> => {
      const id = freshId();
      const result = await fixture.start(program, args, {
        marker: { name: 'ending', id },
        ...more,
      });
      await result.output.untilText(/ready|prompt> /);
      return { ...result, id };
    };

    /** Returns the live processes of a session; on macOS only its leader. */
    const left = (id: string, pty: Pty) => (hasProc ? marked(id) : [pty.pid].filter(isAlive));

    /**
     * Ends a program with a grace of an hour more, so that a program which needs the KILL fails the
     * test.
     */
    const endByRequest = (pty: Pty) => {
      const ending = pty.end();
      fixture.shiftClock(-hourMs);
      return ending;
    };

    const interactiveShell = () => {
      const { PATH = '' } = process.env;
      const env = { PATH, PS1: 'prompt> ', TERM: 'dumb' };
      return started('bash', ['--norc', '--noprofile', '-i'], { env });
    };

    it('ends an interactive shell, which ignores TERM, by request', async () => {
      const { pty, id } = await interactiveShell();
      expect(await endByRequest(pty)).toEqual({ code: null, signal: 'SIGHUP' });
      expect(left(id, pty)).toEqual([]);
    });

    it('ends a program that misses the first HUP, as shells may, by request', async () => {
      const { pty } = await started(testProgram('miss-first-hup.sh'));
      expect(await endByRequest(pty)).toEqual({ code: 3, signal: null });
    });

    it('ends the jobs of a shell', async () => {
      const { pty, output, id } = await interactiveShell();
      await pty.write(
        Buffer.from('sleep 1000 & nohup sleep 1000 >/dev/null & sleep 1000 | (echo j"ob"; cat)\n'),
      );
      await output.untilText('job');
      await endByRequest(pty);
      expect(left(id, pty)).toEqual([]);
    });

    it('lets a program clean up, and delivers its last output before the exit', async () => {
      const { pty, output } = await started(testProgram('clean-up-on-term.sh'));
      let atExit = '';
      pty.onExit(() => {
        atExit = output.text;
      });
      expect(await endByRequest(pty)).toEqual({ code: 7, signal: null });
      expect(atExit).toContain('cleaned up');
    });

    it('kills a program that is left after the grace', async () => {
      const { pty, output, id } = await started('sh', ['-c', reportTerm]);
      const ending = pty.end();
      await output.untilText('TERM');
      fixture.shiftClock(graceMs);
      expect(await ending).toEqual({ code: null, signal: 'SIGKILL' });
      expect(left(id, pty)).toEqual([]);
    });

    it('kills at once when forced', async () => {
      const { pty } = await started(testProgram('clean-up-on-term.sh'));
      expect(await pty.end({ force: true })).toEqual({ code: null, signal: 'SIGKILL' });
    });

    it('ends a stopped program by request', async () => {
      const { pty } = await started('sh', ['-c', 'echo ready; exec sleep 1000']);
      await pty.signal('STOP', 'leader');
      const { signal } = await endByRequest(pty);
      // The kernel decides which signal a continued program gets first.
      expect(signal).toMatch(/^SIG(HUP|TERM)$/);
    });

    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('ends a child that left the session', async () => {
      const { pty, id } = await started(testProgram('leave-setsid-child.sh'));
      expect(left(id, pty).length).toBeGreaterThan(1);
      const ending = pty.end();
      await pty.exit;
      fixture.shiftClock(graceMs);
      await ending;
      expect(left(id, pty)).toEqual([]);
    });

    withProc('ends a child that outlived its leader', async () => {
      const { pty, id } = await started(testProgram('leave-setsid-child.sh'));
      await pty.write(Buffer.from('\n'));
      expect(await pty.exit).toEqual({ code: 0, signal: null });
      expect(left(id, pty)).not.toEqual([]);
      const ending = pty.end();
      fixture.shiftClock(graceMs);
      expect(await ending).toEqual({ code: 0, signal: null });
      expect(left(id, pty)).toEqual([]);
    });

    withProc(`ends a child without our marker by the kernel's session`, async () => {
      const { pty, output } = await started('sh', [
        '-c',
        `env -i sh -c 'trap "" HUP; echo "pid $$ ready"; while :; do sleep 1000; done' & wait`,
      ]);
      const pid = Number(/pid (\d+) ready/.exec(output.text)?.[1]);
      await endByRequest(pty);
      expect(isAlive(pid)).toBe(false);
    });

    it('is one ending for concurrent calls, which any of them can force', async () => {
      const { pty, output } = await started('sh', ['-c', reportTerm]);
      const [first, second] = [endByRequest(pty), pty.end()];
      await output.untilText('TERM');
      const killed = { code: null, signal: 'SIGKILL' };
      expect(await pty.end({ force: true })).toEqual(killed);
      expect(await Promise.all([first, second])).toEqual([killed, killed]);
      expect(await pty.end()).toEqual(killed);
    });

    it('resumes output, because a program may have to write before it can end', async () => {
      const script = `trap 'head -c 500000 /dev/zero; exit 3' TERM; trap '' HUP; echo ready; while :; do sleep 0.02; done`;
      const { pty, output } = await started('sh', ['-c', script]);
      pty.pause();
      expect(await endByRequest(pty)).toEqual({ code: 3, signal: null });
      expect(output.bytes.filter((byte) => byte === 0)).toHaveLength(500_000);
    });

    it('resolves if output was paused before the exit and never resumed', async () => {
      const { pty, output } = await started('sh', ['-c', 'echo ready; read -r _; echo last']);
      pty.pause();
      await pty.write(Buffer.from('\n'));
      await vi.waitFor(() => expect(pty.resize({ cols: 9, rows: 9 })).rejects.toThrow());
      expect(await endByRequest(pty)).toEqual({ code: 0, signal: null });
      expect(output.text).toContain('last');
    });

    it('of the host ends every session and its descendants, also one whose program has exited', async () => {
      const stubborn = await started('sh', ['-c', reportTerm]);
      const willing = await started('sh', ['-c', 'echo ready; exec sleep 1000']);
      const gone = await started('sh', ['-c', 'echo ready']);
      await gone.pty.exit;
      const closing = fixture.host.close();
      await stubborn.output.untilText('TERM');
      fixture.shiftClock(graceMs);
      await closing;
      expect(await stubborn.pty.exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await willing.pty.exit).toEqual({ code: null, signal: 'SIGHUP' });
      for (const { id, pty } of [stubborn, willing, gone]) expect(left(id, pty)).toEqual([]);
    });
  });
}
