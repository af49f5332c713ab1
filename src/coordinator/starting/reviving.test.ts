import { expect, test } from 'vitest';
import type { SessionInfo } from '#model';
import { revivedNote } from './reviving.ts';

const time = new Date(2026, 10, 2, 7, 5).getTime();

test.each([
  [{ exitStatus: null, endedBy: { reason: 'host_lost' } }, 'ended: host lost'],
  [{ exitStatus: null, endedBy: { reason: 'reboot' } }, 'ended: reboot'],
  [{ exitStatus: null, endedBy: { reason: 'stopped' } }, 'ended: vtr stopped'],
  [{ exitStatus: { code: 0, signal: null } }, 'exited 0'],
  [{ exitStatus: { code: null, signal: 'SIGTERM' } }, 'killed by SIGTERM'],
] as const)('the line below an ended session names the end: %j', (info, why) => {
  const note = revivedNote(time, info as unknown as SessionInfo);
  expect(note).toBe(`[revived 2026-11-02 07:05; ${why}]`);
});
