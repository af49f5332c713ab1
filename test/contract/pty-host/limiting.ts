import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasProc, marked } from '../../support/pty/process-facts.ts';
import { freshId } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture } from '../pty-host.ts';

const mib = 1024 * 1024;

/** What is asked of a pseudo-terminal by who keeps its processes under limits. */
export function limitingContract(fixture: HostFixture): void {
  /** A program, and who belongs to it. */
  const start = async (script: string) => {
    const id = freshId();
    const started = await fixture.start('sh', ['-c', script], { marker: { name: 'test', id } });
    return { ...started, id };
  };

  /** By the letter of proc_pid_stat(5). */
  const states = (id: string): string[] =>
    marked(id).map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat[stat.lastIndexOf(')') + 2] ?? '';
    });

  describe('usage', () => {
    it('is that of all processes, the setsid of which no terminal knows too', async () => {
      const hog = `dd if=/dev/zero bs=${40 * mib} 2>/dev/null | sleep 1000`;
      const { pty, output } = await start(`setsid sh -c '${hog}' & echo ready; wait`);
      await output.untilText('ready');
      const takes = async () => (await pty.usage()).residentBytes / mib;
      await expect.poll(takes, { timeout: 10_000 }).toBeGreaterThan(40);
      expect((await pty.usage()).count).toBeGreaterThanOrEqual(4);
    });

    it('counts time on processors, of children that have ended too', async () => {
      const busy = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
      const { pty, output } = await start(`sh -c '${busy}'; echo ready; sleep 1000`);
      const before = (await pty.usage()).cpuMs;
      await output.untilText('ready');
      const after = (await pty.usage()).cpuMs;
      if (hasProc) expect(after - before).toBeGreaterThan(20);
      expect(after).toBeLessThan(60_000);
    });

    it('is nothing after the end', async () => {
      const { pty } = await start('exit');
      await pty.end();
      expect(await pty.usage()).toEqual({ count: 0, residentBytes: 0, cpuMs: 0 });
    });
  });

  describe('hold', () => {
    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('stops everything, and release lets it go on', async () => {
      const { pty, output, id } = await start(
        'sleep 1000 & sh -c "sleep 1000; :" & echo ready; cat',
      );
      await output.untilText('ready');
      await expect.poll(() => states(id).length).toBe(5);
      await pty.usage();
      await pty.suspend();
      expect(states(id)).toEqual(['T', 'T', 'T', 'T', 'T']);
      await pty.continue();
      expect(states(id)).not.toContain('T');
    });

    withProc('leaves what was stopped before as it is', async () => {
      const { pty, output, id } = await start('sleep 1000 & kill -STOP $!; echo ready; cat');
      await output.untilText('ready');
      await pty.usage();
      await pty.suspend();
      await pty.continue();
      expect(states(id).filter((state) => state === 'T')).toHaveLength(1);
    });

    it('ends with input, which then comes to the program', async () => {
      const { pty, output } = await start('stty -echo; echo ready; cat');
      await output.untilText('ready');
      await pty.usage();
      await pty.suspend();
      await pty.write(Buffer.from('hello\n'));
      await output.untilText('hello');
    });

    it('ends with a signal, and does not outlast the end', async () => {
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
