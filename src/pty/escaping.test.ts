import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect } from 'vitest';
import { collectOutput } from '../../test/support/pty/collect-output.ts';
import { isAlive } from '../../test/support/pty/process-facts.ts';
import { ptyRequest } from '../../test/support/pty/pty-request.ts';
import { provided } from '../../test/support/run/needs.ts';
import { createPtyHost } from './index.ts';
import { loadBinding } from './start/load-binding.ts';

/** Leaves the kernel's session, its terminal, its parent, and has no environment. */
const leave =
  '(setsid env -i sh -c "echo \\$\\$ >&3; exec sleep 1000" 3>&1 </dev/null >/dev/null 2>&1 3>&3 &)';

describe('a program that leaves its session in every way', () => {
  const canMark = process.platform === 'linux' && loadBinding().canMark;
  const withMarks = provided(canMark, 'only on Linux, with koffi');
  let host = createPtyHost();

  afterEach(async () => {
    await host.close({ force: true });
    host = createPtyHost();
  });

  const escaped = async (then: string) => {
    const pty = await host.spawn(ptyRequest('sh', ['-c', `${leave}; ${then}`]));
    const output = collectOutput(pty);
    await output.untilText(/\d+\r\n/);
    return { pty, pid: Number(/\d+/.exec(output.text)) };
  };

  withMarks('counts for its limits, and ends with it', async () => {
    const { pty, pid } = await escaped('exec cat');
    expect((await pty.usage()).count).toBe(2);
    await pty.end();
    expect(isAlive(pid)).toBe(false);
  });

  withMarks('ends with it also after its first program has exited', async () => {
    const { pty, pid } = await escaped('read -r line; exit 3');
    await pty.write(Buffer.from('\n'));
    expect(await pty.exit).toEqual({ code: 3, signal: null });
    expect(isAlive(pid)).toBe(true);
    await pty.end();
    expect(isAlive(pid)).toBe(false);
  });

  withMarks('leaves no mark on other children of this process', async () => {
    await host.spawn(ptyRequest('cat', []));
    const limits = execFileSync('cat', ['/proc/self/limits'], { encoding: 'utf8' });
    expect(limits).toMatch(/^Max file locks +unlimited /m);
  });
});
