import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { listenerPid, listenerStuck } from './stuck-process.ts';

/** A process that listens at a socket, and then does something. */
async function listener(then: string): Promise<{ child: ChildProcess; socket: string }> {
  const socket = join(tree(), 'socket');
  const code = `require('node:net').createServer((each) => each.end('answer')).listen(process.argv[1], () => {
    require('node:fs').writeSync(1, 'ready');
    ${then}
  })`;
  const child = spawn(process.execPath, ['-e', code, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return { child, socket };
}

const linux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

describe('the process that listens at a socket', () => {
  const stuck = {
    'computes for ever': ['for (;;);', 'working'],
    'waits for ever': ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);', 'waiting'],
    'has stopped': [`process.kill(process.pid, 'SIGSTOP');`, 'stopped'],
  } as const;
  for (const [what, [then, how]] of Object.entries(stuck)) {
    linux(`is stuck: it ${what}`, async () => {
      const { child, socket } = await listener(then);
      const connection = connect(socket);
      onTestFinished(() => void connection.destroy());
      await once(connection, 'connect');
      expect(await listenerStuck(connection, socket, () => false)).toEqual({ process: how });
      expect(await listenerPid(socket)).toBe(child.pid);
    });
  }
});
