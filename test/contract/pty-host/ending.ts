import { describe, expect, it, vi } from 'vitest';
import type { Pty, PtySpawnRequest } from '#pty';
import { hasProc, isAlive, marked } from '../../support/pty/process-facts.ts';
import { freshId, testProgram } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture, Started } from '../pty-host.ts';

/** Longer than any test may take: what ends within it has not waited for it. */
const neverMs = 3_600_000;
const shortMs = 200;

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

    /** Processes of a session that are alive; on macOS only its leader is looked for. */
    const left = (id: string, pty: Pty) => (hasProc ? marked(id) : [pty.pid].filter(isAlive));

    const interactiveShell = () => {
      const { PATH = '' } = process.env;
      const env = { PATH, PS1: 'prompt> ', TERM: 'dumb' };
      return started('bash', ['--norc', '--noprofile', '-i'], { env });
    };

    it('needs no grace for an interactive shell, which ignores TERM', async () => {
      const { pty, id } = await interactiveShell();
      expect(await pty.end({ graceMs: neverMs })).toEqual({ code: null, signal: 'SIGHUP' });
      expect(left(id, pty)).toEqual([]);
    });

    it('needs no grace for a program that misses the first HUP, as shells may', async () => {
      const { pty } = await started(testProgram('miss-first-hup.sh'));
      expect(await pty.end({ graceMs: neverMs })).toEqual({ code: 3, signal: null });
    });

    it('takes the jobs of the shell with it', async () => {
      const { pty, output, id } = await interactiveShell();
      await pty.write(
        Buffer.from('sleep 1000 & nohup sleep 1000 & sleep 1000 | (echo j"ob"; cat)\n'),
      );
      await output.untilText('job');
      await pty.end({ graceMs: neverMs });
      expect(left(id, pty)).toEqual([]);
    });

    it('lets a program clean up and delivers what it says before the exit', async () => {
      const { pty, output } = await started(testProgram('clean-up-on-term.sh'));
      let atExit = '';
      pty.onExit(() => {
        atExit = output.text;
      });
      expect(await pty.end({ graceMs: neverMs })).toEqual({ code: 7, signal: null });
      expect(atExit).toContain('cleaned up');
    });

    it('kills after the grace what ignores HUP, TERM and INT', async () => {
      const { pty, id } = await started(testProgram('ignore-signals.sh'));
      expect(await pty.end({ graceMs: shortMs })).toEqual({ code: null, signal: 'SIGKILL' });
      expect(left(id, pty)).toEqual([]);
    });

    it('kills at once when forced', async () => {
      const { pty } = await started(testProgram('clean-up-on-term.sh'));
      expect(await pty.end({ force: true })).toEqual({ code: null, signal: 'SIGKILL' });
    });

    it('ends a program that is stopped, without force', async () => {
      const { pty } = await started('sh', ['-c', 'echo ready; exec sleep 1000']);
      await pty.signal('STOP', 'leader');
      const { signal } = await pty.end({ graceMs: neverMs });
      // Which of the two comes first to a program that is being continued is up to the kernel.
      expect(signal).toMatch(/^SIG(HUP|TERM)$/);
    });

    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('ends a child that left the session', async () => {
      const { pty, id } = await started(testProgram('leave-setsid-child.sh'));
      expect(left(id, pty).length).toBeGreaterThan(1);
      await pty.end({ graceMs: shortMs });
      expect(left(id, pty)).toEqual([]);
    });

    withProc('ends a child that outlived its leader', async () => {
      const { pty, id } = await started(testProgram('leave-setsid-child.sh'));
      await pty.write(Buffer.from('\n'));
      expect(await pty.exit).toEqual({ code: 0, signal: null });
      expect(left(id, pty)).not.toEqual([]);
      expect(await pty.end({ graceMs: shortMs })).toEqual({ code: 0, signal: null });
      expect(left(id, pty)).toEqual([]);
    });

    withProc(`ends a child without our marker by the kernel's session`, async () => {
      const { pty, output } = await started('sh', [
        '-c',
        `env -i sh -c 'trap "" HUP; echo "pid $$ ready"; while :; do sleep 1000; done' & wait`,
      ]);
      const pid = Number(/pid (\d+) ready/.exec(output.text)?.[1]);
      await pty.end({ graceMs: neverMs });
      expect(isAlive(pid)).toBe(false);
    });

    it('is one ending for all who ask, which any of them can hasten', async () => {
      const { pty } = await started(testProgram('ignore-signals.sh'));
      const patient = pty.end({ graceMs: neverMs });
      const other = pty.end({ graceMs: neverMs });
      const impatient = pty.end({ force: true });
      const killed = { code: null, signal: 'SIGKILL' };
      expect(await Promise.all([patient, other, impatient])).toEqual([killed, killed, killed]);
      expect(await pty.end()).toEqual(killed);
    });

    it('lifts a pause: a program may have to write before it can end', async () => {
      const script = `trap 'head -c 500000 /dev/zero; exit 3' TERM; trap '' HUP; echo ready; while :; do sleep 0.02; done`;
      const { pty, output } = await started('sh', ['-c', script]);
      pty.pause();
      expect(await pty.end({ graceMs: neverMs })).toEqual({ code: 3, signal: null });
      expect(output.bytes.filter((byte) => byte === 0)).toHaveLength(500_000);
    });

    it('comes to an end when nobody resumes after the exit', async () => {
      const { pty, output } = await started('sh', ['-c', 'echo ready; read -r _; echo last']);
      pty.pause();
      await pty.write(Buffer.from('\n'));
      await vi.waitFor(() => expect(pty.resize({ cols: 9, rows: 9 })).rejects.toThrow());
      expect(await pty.end({ graceMs: neverMs })).toEqual({ code: 0, signal: null });
      expect(output.text).toContain('last');
    });

    it('of the host ends every session, also one that has exited, and what it left', async () => {
      const stubborn = await started(testProgram('ignore-signals.sh'));
      const willing = await started('sh', ['-c', 'echo ready; exec sleep 1000']);
      const gone = await started('sh', ['-c', 'echo ready']);
      await gone.pty.exit;
      await fixture.host.close({ graceMs: shortMs });
      expect(await stubborn.pty.exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await willing.pty.exit).toEqual({ code: null, signal: 'SIGHUP' });
      for (const { id, pty } of [stubborn, willing, gone]) expect(left(id, pty)).toEqual([]);
    });
  });
}
