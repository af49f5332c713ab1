import { expect, test } from 'vitest';
import type { SessionInfo } from '#model';
import { revivedNote } from './reviving.ts';

const time = new Date(2026, 10, 2, 7, 5).getTime();

test.each([
  [{ endedBy: { reason: 'host_lost' } }, 'host lost'],
  [{ endedBy: { reason: 'reboot' } }, 'reboot'],
  [{ endedBy: { reason: 'stopped' } }, 'vtr stopped'],
  [{ exitStatus: { code: 0, signal: null } }, 'exit status 0'],
  [{ exitStatus: { code: null, signal: 'SIGTERM' } }, 'SIGTERM'],
] as const)('the line below an ended session names the end: %j', (info, why) => {
  const note = revivedNote(time, info as unknown as SessionInfo);
  expect(note).toBe(`[revived 2026-11-02 07:05; ended: ${why}]`);
});
