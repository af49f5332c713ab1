import { describe, expect, it } from 'vitest';
import { VtrError } from '#model';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { createPtyHost } from '../in-process-pty-host.ts';
import { SupervisedPtyHost } from './supervised-pty-host.ts';

/** A host that can be lost, and the number of starts. */
function supervised() {
  const started: { isOpen: boolean }[] = [];
  let failure: VtrError | null = null;
  const host = new SupervisedPtyHost(async () => {
    if (failure !== null) throw failure;
    const next = Object.assign(createPtyHost(), { isOpen: true });
    started.push(next);
    return next;
  });
  const fail = (error: VtrError | null) => {
    failure = error;
  };
  return { host, started, fail };
}

describe('SupervisedPtyHost', () => {
  it('starts the host once, and again after it was lost', async () => {
    const { host, started } = supervised();
    await Promise.all([host.spawn(ptyRequest('true')), host.spawn(ptyRequest('true'))]);
    expect(started).toHaveLength(1);
    for (const each of started) each.isOpen = false;
    const spawns = [host.spawn(ptyRequest('true')), host.spawn(ptyRequest('true'))];
    const ptys = await Promise.all(spawns);
    expect(started).toHaveLength(2);
    await Promise.all(ptys.map((pty) => pty.end()));
    await host.close();
  });

  it('tries again after a start that failed', async () => {
    const { host, started, fail } = supervised();
    for (const each of await Promise.resolve(started)) each.isOpen = false;
    fail(new VtrError('UNAVAILABLE', 'no'));
    await expect(host.spawn(ptyRequest('true'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    fail(null);
    const pty = await host.spawn(ptyRequest('true'));
    await pty.end();
    await host.close();
  });

  it('refuses after close', async () => {
    const { host } = supervised();
    await host.close();
    await expect(host.spawn(ptyRequest('true'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await host.close();
  });
});
