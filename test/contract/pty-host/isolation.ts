import { describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import { collectOutput } from '../../support/pty/collect-output.ts';
import { hasProc, openFiles, threads, zombies } from '../../support/pty/process-facts.ts';
import { ptyRequest } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture } from '../pty-host.ts';

const restarts = 100;
const spawns = 200;
const floodBytes = 1024 * 1024;

export function isolationContract(fixture: HostFixture): void {
  describe('isolation', () => {
    it('input queued for an ended session never reaches the next one', async () => {
      const foreign: string[] = [];
      for (let round = 0; round < fixture.times(restarts); round++) {
        const deaf = await fixture.start('sh', ['-c', 'stty raw -echo; echo ready; read -r _']);
        await deaf.output.untilText('ready');
        const queued = deaf.pty.write(Buffer.alloc(100_000, 'A')).catch(({ code }) => code);
        const restarted = new Promise<string>((resolve, reject) => {
          deaf.pty.onExit(() => {
            const late = deaf.pty.write(Buffer.from('A')).catch(({ code }) => code);
            ignored(deaf.pty.resize({ cols: 1, rows: 1 }), 'the program has ended');
            listen().then(async (heard) => resolve(`${await late} ${heard}`), reject);
          });
        });
        await deaf.pty.signal('KILL', 'leader');
        const heard = await restarted;
        expect(await queued).toBe('SESSION_NOT_RUNNING');
        if (heard !== 'SESSION_NOT_RUNNING [own line] 24 80') {
          foreign.push(`${round}: ${heard.slice(0, 60)}`);
        }
        await deaf.pty.end();
      }
      expect(foreign).toEqual([]);
    });

    /** Returns the input of a new program besides the line written to it. */
    async function listen(): Promise<string> {
      const script = `stty -echo; echo ready; read -r line; printf '[%s] ' "$line"; stty size`;
      const pty = await fixture.host.spawn(ptyRequest('sh', ['-c', script]));
      const output = collectOutput(pty);
      await output.untilText('ready');
      await pty.write(Buffer.from('own line\n'));
      await pty.exit;
      await pty.end();
      return output.text.replace('ready', '').trim();
    }

    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc(`a program sees no other session's master`, async () => {
      const others = await Promise.all(
        Array.from({ length: 40 }, () => fixture.start('sleep', ['1000'])),
      );
      // Makes gaps between the open fds, and reused fds.
      await Promise.all(others.filter((_, index) => index % 3 === 0).map(({ pty }) => pty.end()));
      for (let round = 0; round < 10; round++) {
        const { pty, output } = await fixture.start('sh', ['-c', 'ls -l /proc/self/fd']);
        await pty.exit;
        const open = output.text.split('\r\n').filter((line) => line.includes('->'));
        expect(open.length).toBeGreaterThanOrEqual(3);
        expect(open.filter((line) => /ptmx|ptm\b/.test(line))).toEqual([]);
        if (round % 2 === 0) await pty.end();
      }
    });

    withProc('fds, threads and zombies do not accumulate', async () => {
      const { ownerPid } = fixture;
      const facts = () => ({
        files: openFiles(ownerPid),
        threads: threads(ownerPid),
        zombies: zombies(ownerPid),
      });
      const spawnAndEnd = async (count: number) => {
        for (let left = count; left > 0; left--) {
          const pty = await fixture.host.spawn(ptyRequest('true'));
          await pty.exit;
          await pty.end();
        }
      };
      await Promise.all(Array.from({ length: 16 }, () => spawnAndEnd(2)));
      await expect.poll(() => facts().zombies).toBe(0);
      const before = await levelled(facts);
      await Promise.all(Array.from({ length: 10 }, () => spawnAndEnd(fixture.times(spawns) / 10)));
      await expect.poll(facts).toEqual(before);
    });

    /** A thread exists for a moment after its last message. */
    async function levelled<T>(facts: () => T): Promise<T> {
      let last = facts();
      await vi.waitFor(() => {
        const previous = last;
        last = facts();
        expect(last).toEqual(previous);
      });
      return last;
    }

    it('a program that floods its terminal does not block the event loop', async () => {
      const flood = await fixture.start('yes');
      const echo = await fixture.start('sh', ['-c', 'stty -echo; echo ready; exec cat']);
      await echo.output.untilText('ready');
      await flood.output.untilLength(floodBytes);
      for (let round = 0; round < 20; round++) {
        await echo.pty.write(Buffer.from(`round ${round}.\n`));
        await echo.output.untilText(`round ${round}.`);
      }
      await flood.output.untilLength(flood.output.end + floodBytes);
    });
  });
}
