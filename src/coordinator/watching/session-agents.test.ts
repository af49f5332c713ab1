import { expect, it } from 'vitest';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { Registry } from '../registry.ts';
import { SessionAgents } from './session-agents.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('in a shell without marks, a program that reads keys is looked at, also after one that hid the cursor', async () => {
  const { session, pty, clock } = fakeSession();
  const registry = new Registry();
  let looks = 0;
  const kinds = async () => {
    looks++;
    return [];
  };
  const reports = { of: () => undefined, statusOf: () => undefined } as never;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const sources = { clock, kinds, listProcesses: async () => [], reports, save() {}, onFault };
  const agents = new SessionAgents(registry, sources, () => {});
  registry.add(session);
  const rest = async () => {
    for (let seconds = 0; seconds < 20; seconds++) {
      clock.advance(1_000);
      await settled();
    }
  };
  pty.output('$ spin\r\n\x1b[?25l*');
  pty.output('\x1b[?25h\r\n$ ');
  await settled();
  await rest();
  expect(looks).toBe(4);
  pty.output('agent\r\n\x1b[?2004h');
  await settled();
  await rest();
  expect(looks).toBe(8);
  expect(agents.of(session)).toBeNull();
  expect(faults).toEqual([]);
});
