import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { type AdoptedPty, nothingLearned } from '#pty';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { provided } from '../../../test/support/run/needs.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LeftSession } from './left-session.ts';

const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

describe('the secrets of a session whose host is of an earlier version', () => {
  onLinux('are those in the environment of its program, also after that has ended', async () => {
    const env = { API_TOKEN: 'hunter2supersecret' };
    const program = spawn('/bin/cat', { env, stdio: ['pipe', 'pipe', 'ignore'] });
    // It has its environment when it answers.
    program.stdin.write('x');
    await once(program.stdout, 'data');
    const left = (secrets: readonly string[] | null) => {
      const pty = Object.assign(new FakePty(), { pid: program.pid });
      const saved = { facts: new Uint8Array(0), state: null, segments: [] };
      const about = {
        pty,
        saved,
        answeredTo: 0,
        lastEnterAt: 0,
        outputEnd: 0,
        exited: null,
        learned: nothingLearned,
        secrets,
      };
      const adopted: AdoptedPty = { ...about, replayed: Promise.resolve() };
      const secretsOf = ({ API_TOKEN = '' }) => [API_TOKEN];
      return new LeftSession(adopted, { clock: new VirtualClock(), onFault() {}, secretsOf });
    };
    const session = left(null);
    const exit = once(program, 'exit');
    program.stdin.end();
    await exit;
    expect([...session.secrets]).toEqual([env.API_TOKEN]);
    expect([...session.restore().secrets]).toEqual([env.API_TOKEN]);
    expect([...left(['kept']).secrets]).toEqual(['kept']);
  });
});
