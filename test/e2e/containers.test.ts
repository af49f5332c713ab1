import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { connect } from '#app/client';
import { canBringNode } from '../support/command/bundled-node.ts';
import { Place } from '../support/command/vtr-command.ts';
import { canStartContainers, Podman } from '../support/containers/podman.ts';
import { childrenWith } from '../support/pty/process-facts.ts';
import { isInstalled, provided } from '../support/run/needs.ts';
import type { OnEnd } from '../support/tree.ts';

/** What ends with this file, the last begun first: hooks cannot be added in a hook. */
const ends: (() => void | Promise<void>)[] = [];
const onFileEnd: OnEnd = (end) => void ends.unshift(end);
afterAll(async () => {
  for (const end of ends) await end();
});

const hasContainers = await canStartContainers();
const reason = 'needs podman and runc, and the permission to start containers';
const inContainer = provided(hasContainers, reason);
const withDocker = provided(
  hasContainers && isInstalled('docker'),
  hasContainers ? 'needs docker, the client' : reason,
);

const withoutNode = provided(
  hasContainers && (await canBringNode()),
  hasContainers ? 'needs npm and its registry' : reason,
);

const script = 'echo ready; while read -r x; do echo "got $x"; done';

describe('containers', () => {
  let near: Place;
  let engine: Podman;

  beforeAll(async () => {
    if (!hasContainers) return;
    const podman = new Podman(onFileEnd);
    engine = podman;
    await Promise.all(['web-1', 'web-2'].map((name) => podman.start(name, 'app=web')));
    await podman.serveDocker();
    near = new Place(onFileEnd, podman.env);
    // For the verbs and the connections of this process.
    for (const [name, value] of Object.entries(podman.env)) vi.stubEnv(name, value);
    onFileEnd(() => void vi.unstubAllEnvs());
    for (const name of ['web-1', 'web-2']) {
      const address = `podman://${name}`;
      expect(await near.result(['ls', '--coordinator', address])).toMatchObject({
        status: 3,
        stderr: expect.stringContaining(`vtr install ${address}`),
      });
      await near.ok('install', address);
      await near.ok(
        'spawn',
        'one',
        '--coordinator',
        address,
        '--wait',
        'ready',
        '--',
        'sh',
        '-c',
        script,
      );
    }
  });

  inContainer('have sessions of their own, which all verbs reach with podman', async () => {
    const at = ['--coordinator', 'podman://web-1'];
    const [{ pid }] = (await near.json('ls', ...at)).sessions;
    // A low number, because the container has its own namespace of pids.
    expect(pid).toBeLessThan(200);
    await near.ok('send', 'one', 'hello\r', '--wait', 'got hello', ...at);
    expect(await near.ok('screen', 'one', ...at)).toContain('got hello');
    const other = await near.ok('screen', 'one', '--coordinator', 'podman://web-2');
    expect(other).not.toContain('got hello');
    const lines = ['exec', ...at, '--', 'sh', '-c', 'seq 20000; exit 3'];
    const { status, stdout } = await near.result(lines);
    expect([status, stdout.split('\n').slice(-3)]).toEqual([3, ['19999', '20000', '']]);
    const page = await near.result(['web', '--port', '0', ...at]);
    expect(page.stderr).toContain('vtr config add podman://web-1 && vtr web');
  });

  inContainer('are selected by a glob or by labels', async () => {
    for (const selector of ['podman://web-*', 'podman://label=app=web']) {
      const { sessions } = await near.json('ls', '--coordinator', selector);
      const names = sessions.map((each: { coordinator: string }) => each.coordinator);
      expect(names.sort()).toEqual(['web-1', 'web-2']);
    }
  });

  inContainer('keep a wait over kill -9 of podman, and type input once', async () => {
    const client = await connect({ address: 'podman://web-2' });
    try {
      await client.info('one');
      const waiting = client.wait('one', { match: ['got w5'], timeoutMs: 60_000 });
      let killed = 0;
      for (const word of ['w1', 'w2', 'w3', 'w4', 'w5']) {
        const sending = client.sendText('one', `${word}\r`);
        if (word === 'w2' || word === 'w4') {
          const pids = childrenWith('podman exec');
          for (const pid of pids) process.kill(pid, 'SIGKILL');
          killed += pids.length;
        }
        await sending;
      }
      expect(await waiting).toMatchObject({ outcome: 'matched' });
      expect(killed).toBeGreaterThan(0);
      const { text } = await client.read('one', {});
      const got = text.tail.split('\n').filter((line) => line.startsWith('got w'));
      expect(got).toEqual(['got w1', 'got w2', 'got w3', 'got w4', 'got w5']);
    } finally {
      await client.close();
    }
  });

  withoutNode('get a Node.js if they have none', async () => {
    const address = 'podman://bare';
    await engine.startWithoutNode('bare');
    const at = ['--coordinator', address];
    const refused = await near.result(['install', address, '--node', 'system']);
    expect(refused).toMatchObject({ status: 8, stderr: expect.stringContaining('has no Node.js') });
    const done = await near.json('install', address);
    expect(done.node).toMatchObject({ bundled: true, copied: true });
    await near.ok('spawn', 'one', ...at, '--wait', 'ready', '--', 'sh', '-c', script);
    await near.ok('send', 'one', 'hello\r', '--wait', 'got hello', ...at);
    expect(await near.ok('install', address)).toContain('is already at');
  });

  withDocker('are reached with docker', async () => {
    const at = ['--coordinator', 'docker://web-1'];
    await near.ok('send', 'one', 'by docker\r', '--wait', 'got by docker', ...at);
    const { sessions } = await near.json('ls', '--coordinator', 'docker://label=app=web');
    expect(sessions).toHaveLength(2);
  });
});
