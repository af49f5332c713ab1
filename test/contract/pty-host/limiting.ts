import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandOf, hasProc, isStopped, marked } from '../../support/pty/process-facts.ts';
import { freshId } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture } from '../pty-host.ts';

const mib = 1024 * 1024;

/** The operations that enforce limits on a session's processes. */
export function limitingContract(fixture: HostFixture): void {
  /** Starts a program, and returns its session's id. */
  const start = async (script: string) => {
    const id = freshId();
    const started = await fixture.start('sh', ['-c', script], { marker: { name: 'test', id } });
    return { ...started, id };
  };

  /** Returns the states of the session's processes, proc_pid_stat(5). */
  const states = (id: string): string[] =>
    marked(id).map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat[stat.lastIndexOf(')') + 2] ?? '';
    });

  describe('usage', () => {
    it('includes processes that have left the session (setsid)', async () => {
      const hog = `dd if=/dev/zero bs=${40 * mib} 2>/dev/null | sleep 1000`;
      const { pty, output } = await start(`setsid sh -c '${hog}' & echo ready; wait`);
      await output.untilText('ready');
      const takes = async () => (await pty.usage()).residentBytes / mib;
      await expect.poll(takes).toBeGreaterThan(40);
      expect((await pty.usage()).count).toBeGreaterThanOrEqual(4);
    });

    it('includes the CPU time of children that have ended', async () => {
      const busy = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
      const { pty, output } = await start(`sh -c '${busy}'; echo ready; sleep 1000`);
      const before = (await pty.usage()).cpuMs;
      await output.untilText('ready');
      const after = (await pty.usage()).cpuMs;
      if (hasProc) expect(after - before).toBeGreaterThan(20);
      expect(after).toBeLessThan(60_000);
    });

    it('is zero after the end', async () => {
      const { pty } = await start('exit');
      await pty.end();
      expect(await pty.usage()).toEqual({ count: 0, residentBytes: 0, cpuMs: 0 });
    });
  });

  describe('suspend', () => {
    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('suspends all processes until continue', async () => {
      const { pty, output, id } = await start(
        'sleep 1000 & sh -c "sleep 1000; :" & echo ready; cat',
      );
      await output.untilText('ready');
      await expect.poll(() => states(id).length).toBe(5);
      // Again and again, as for a limit: on a busy machine a process may not stop in time.
      const suspended = async () => {
        await pty.usage();
        await pty.suspend();
        return states(id);
      };
      await expect.poll(suspended).toEqual(['T', 'T', 'T', 'T', 'T']);
      await pty.continue();
      expect(states(id)).not.toContain('T');
    });

    withProc('leaves a process stopped that was stopped before', async () => {
      const { pty, output, id } = await start('sleep 1000 & kill -STOP $!; echo ready; cat');
      await output.untilText('ready');
      // A process stops a moment after kill(2) has returned.
      await expect.poll(() => states(id)).toContain('T');
      await pty.usage();
      await pty.suspend();
      await pty.continue();
      expect(states(id).filter((state) => state === 'T')).toHaveLength(1);
    });

    withProc('loses no ctrl+z that a program has received and not acted on', async () => {
      const { pty, output, id } = await start('set -m; sleep 1000 & echo job $! ready; cat');
      await output.untilText('ready');
      const job = Number(/job (\d+)/.exec(output.text)?.[1]);
      // Until then it is a copy of the shell, which ignores ctrl+z.
      await expect.poll(() => commandOf(job)).toBe('sleep 1000');
      await pty.usage();
      await pty.suspend();
      // Pending, as one is that arrives together with the suspension.
      process.kill(job, 'SIGTSTP');
      await pty.continue();
      await expect.poll(() => isStopped(job)).toBe(true);
      expect(states(id).filter((state) => state === 'T')).toHaveLength(1);
    });

    it('ends at input, which the program then reads', async () => {
      const { pty, output } = await start('stty -echo; echo ready; cat');
      await output.untilText('ready');
      await pty.usage();
      await pty.suspend();
      await pty.write(Buffer.from('hello\n'));
      await output.untilText('hello');
    });

    it('ends at a signal, and at the end of the session', async () => {
      const { pty, output } = await start(
        'trap "echo told" USR1; echo ready; while :; do sleep 0.05; done',
      );
      await output.untilText('ready');
      await pty.usage();
      await pty.suspend();
      await pty.signal('USR1', 'leader');
      await output.untilText('told');
      await pty.usage();
      await pty.suspend();
      expect((await pty.end()).signal).toMatch(/^SIG(HUP|TERM)$/);
      await pty.suspend();
    });
  });
}
