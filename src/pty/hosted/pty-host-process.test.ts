import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../test/support/pty/process-facts.ts';
import { tree } from '../../../test/support/tree.ts';
import { PtyHostProcess } from './pty-host-process.ts';
import { useHostProcess } from './start-pty-host.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));

/** A host that waits. */
const launched = (script = 'vtr-ptyd.cjs') =>
  PtyHostProcess.launch({
    ...{ script: join(dist, script), socket: join(tree({}), 'host') },
    ...{ version: 'test', env: process.env },
  });

describe('a PTY host that was launched', () => {
  it('listens when it is told to', async () => {
    const host = launched();
    expect(existsSync(host.socket)).toBe(false);
    const used = await useHostProcess(host, { survival: { again: null } });
    expect(used.pid).toBe(host.pid);
    await used.host.close();
    await host.untilExited();
  });

  it('exits without a socket when it is abandoned', async () => {
    const host = launched();
    host.abandon();
    await host.untilExited();
    expect(isAlive(host.pid)).toBe(false);
    expect(existsSync(host.socket)).toBe(false);
  });

  it('is not abandoned when it is in use', async () => {
    const host = launched();
    const { host: used } = await useHostProcess(host, { survival: { again: null } });
    host.abandon();
    expect(await used.listProcesses()).toContainEqual(expect.objectContaining({ pid: host.pid }));
    await used.close();
  });

  it('reports that it cannot start to its user only', async () => {
    const onUnhandled = vi.fn();
    process.on('unhandledRejection', onUnhandled);
    const host = launched('missing.cjs');
    await host.untilExited();
    await expect(useHostProcess(host, {})).rejects.toThrow(
      'the PTY host did not start: it exited with status 1',
    );
    process.off('unhandledRejection', onUnhandled);
    expect(onUnhandled).not.toHaveBeenCalled();
  });
});
