import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentReason } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { tree } from '../../support/tree.ts';

describe('vtr connect', () => {
  it('starts a daemon only with --start, and says why there is no connection', async () => {
    const place = new Place();
    const none = await place.vtr(['connect']);
    expect(none).toMatchObject({ status: 3, stderr: 'vtr: no coordinator runs\n' });
    expect(none.stdout).toMatch(/^vtr-connect \{"error":\{.*"reason":"ENOENT"\}\}\n$/);
    expect(existsSync(place.socket)).toBe(false);
    const started = await place.vtr(['connect', '--start']);
    expect(started).toMatchObject({ status: 0, stderr: '' });
    expect(started.stdout).toMatch(
      /^vtr-connect \{"version":"[\d.]+","socket":"\/.*default\.sock"\}\n$/,
    );
    expect(await place.ok('ls', '--names')).toBe('');
    const elsewhere = await place.vtr(['connect'], { env: { VTR_SOCKET: 'ssh://gpu1' } });
    expect(elsewhere).toMatchObject({ status: 2, stderr: expect.stringContaining('VTR_SOCKET') });
  });

  it('ends if the daemon does not respond', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    const { pid } = await place.json('serve', '--status');
    const bin = tree();
    symlinkSync(vtrFile, join(bin, 'vtr'));
    const path = `PATH='${bin}:${process.env['PATH']}'`;
    const client = new JsonCoordinator(`exec:env ${path} VTR_SOCKET=${place.socket}`);
    process.kill(pid, 'SIGSTOP');
    try {
      const error = await client.list().catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { reason: silentReason } });
      expect(error.message).toContain('does not respond');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
