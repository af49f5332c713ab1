import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect as connectAgain } from '#app/client';
import type { SessionInfo } from '#model';
import { TerminalProvider } from '#wire/acp';
import { connect } from '#wire/service';
import { root } from '../../scripts/root.mjs';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { isAlive } from '../support/pty/process-facts.ts';

const { signal } = new AbortController();
const sessionId = 'conversation';

describe('terminals at a daemon', () => {
  it('[S2.07] end with a client that is killed, and can still be read', async () => {
    const place = new Place();
    await served(place);
    const program = join(root, 'test/programs/terminal-client.mjs');
    const line = '(trap "" HUP; sleep 1000) & echo $!; wait';
    const client = spawn(process.execPath, [program, place.socket, '3', line], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void client.kill('SIGKILL'));
    const [names] = (await once(createInterface(client.stdout), 'line')) as [string];
    const coordinator = await connect({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    const sleepers = await Promise.all(
      names.split(' ').map(async (name) => {
        const { match } = await coordinator.wait(name, { since: 'start', match: ['^(\\d+)$'] });
        return Number(match?.matched);
      }),
    );
    expect(sleepers.map(isAlive)).toEqual([true, true, true]);

    client.kill('SIGKILL');
    for (const name of names.split(' ')) {
      const { outcome } = await coordinator.wait(name);
      expect(outcome).toBe('exited');
      expect(await coordinator.info(name)).toMatchObject<Partial<SessionInfo>>({
        state: 'exited',
        endedBy: { reason: 'lease' },
      });
    }
    await expect.poll(() => sleepers.some(isAlive)).toBe(false);
  });

  it('continue with the next daemon if theirs is killed', async () => {
    const place = new Place();
    const daemon = await served(place);
    const coordinator = await connectAgain({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    const provider = new TerminalProvider(coordinator);
    const create = { sessionId, command: 'cat' };
    const terminal = { sessionId, ...(await provider.answer('terminal/create', create, signal)) };
    daemon.kill('SIGKILL');
    await exitOf(daemon);
    expect(await provider.answer('terminal/output', terminal, signal)).toMatchObject({
      output: '',
    });
    await provider.answer('terminal/kill', terminal, signal);
    expect(await provider.answer('terminal/wait_for_exit', terminal, signal)).toMatchObject({
      exitCode: null,
    });
    await provider.answer('terminal/release', terminal, signal);
    await provider.close();
    expect((await coordinator.list()).map(({ state }) => state)).toEqual(['exited']);
  });
});
