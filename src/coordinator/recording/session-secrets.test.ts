import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { redactText } from '#recording';
import type { Session } from '#session';
import { provided } from '../../../test/support/run/needs.ts';
import { SessionSecrets } from './session-secrets.ts';

const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

describe('the secrets of a session that another coordinator started', () => {
  onLinux('are known after its program has ended', async () => {
    const env = { API_TOKEN: 'hunter2supersecret' };
    const program = spawn('/bin/cat', { env, stdio: ['pipe', 'pipe', 'ignore'] });
    // It has its environment when it answers.
    program.stdin.write('x');
    await once(program.stdout, 'data');
    const session = { id: 'a', facts: { pid: program.pid }, restored: 'exactly' } as Session;
    const secrets = new SessionSecrets({}, {});
    secrets.restored(session);
    const shown = () => redactText(`is ${env.API_TOKEN}`, secrets.readingRulesOf(session));
    expect(shown()).toBe(`is ${'•'.repeat(18)}`);
    const exit = once(program, 'exit');
    program.stdin.end();
    await exit;
    expect(shown()).toBe(`is ${'•'.repeat(18)}`);
  });
});
