import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from '../../../test/support/pty/process-facts.ts';
import { tree } from '../../../test/support/tree.ts';
import { PtyHostProcess, useHostProcess } from './start-pty-host.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));

/** A host that waits. */
const launched = (script = 'vtr-ptyd.cjs') =>
  PtyHostProcess.launch({
    script: resolve(dist, script),
    socket: join(tree({}), 'host'),
    version: 'test',
    env: process.env,
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

  it('gets the environment without its session and without certificates, which Node.js would read', async () => {
    const write = "require('node:fs').writeFileSync(process.argv[2], JSON.stringify(process.env));";
    const script = join(tree({ 'write.cjs': write }), 'write.cjs');
    const socket = join(tree({}), 'host');
    const env = { A: '1', VTR_SESSION: 's', VTR_SESSION_ID: 'i', NODE_EXTRA_CA_CERTS: '/no' };
    await PtyHostProcess.launch({ script, socket, version: 'test', env }).untilExited();
    expect(JSON.parse(readFileSync(socket, 'utf8'))).toEqual({ A: '1' });
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

  it('is ended if it hangs, and its user is told', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const script = join(tree({ 'hangs.cjs': 'setInterval(() => {}, 1e6);' }), 'hangs.cjs');
    const host = launched(script);
    const used = expect(useHostProcess(host, {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `the PTY host did not start: process ${host.pid} hung for 20 s, and was ended; try again`,
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await used;
    await host.untilExited();
    expect([isAlive(host.pid), existsSync(host.socket)]).toEqual([false, false]);
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
