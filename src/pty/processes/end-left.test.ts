import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, vi } from 'vitest';
import { sessionIdVariable } from '#model';
import { hasProc, isAlive } from '../../../test/support/pty/process-facts.ts';
import { provided } from '../../../test/support/run/needs.ts';
import { endLeft } from './end-left.ts';
import { ProcProcessTable } from './proc-process-table.ts';

describe('the programs of a host', () => {
  const children: ChildProcess[] = [];

  afterEach(() => {
    vi.restoreAllMocks();
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const sleeping = async (env: NodeJS.ProcessEnv) => {
    const child = spawn('sleep', ['1000'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    children.push(child);
    await once(child, 'spawn');
    return { child, pid: child.pid ?? 0 };
  };

  provided(hasProc, 'needs /proc')(
    'are left while it is unknown whether it has ended',
    async () => {
      const id = `left-${process.pid}`;
      const host = await sleeping({});
      const program = await sleeping({ [sessionIdVariable]: id });
      const { find } = ProcProcessTable.prototype;
      let questions = 0;
      vi.spyOn(ProcProcessTable.prototype, 'find').mockImplementation(async function (
        this: ProcProcessTable,
        pid,
      ) {
        if (pid !== host.pid) return find.call(this, pid);
        questions += 1;
        if (questions === 1) throw Object.assign(new Error('EMFILE: open'), { code: 'EMFILE' });
        if (questions === 2) {
          expect(isAlive(program.pid)).toBe(true);
          host.child.kill('SIGKILL');
          await once(host.child, 'exit');
        }
        return find.call(this, pid);
      });
      await endLeft(id, host.pid);
      expect(questions).toBe(2);
      expect(isAlive(program.pid)).toBe(false);
    },
  );
});
