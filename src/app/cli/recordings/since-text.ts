import { durationText } from '#base';
import type { SessionRecord } from '#model';

const reasons: Readonly<Record<SessionRecord['begins'], string>> = {
  start: 'the session began then',
  restart: 'the coordinator was restarted then',
  limit: 'older output was dropped',
};

/** Says from when on a session is recorded in memory, and why not earlier. */
export function sinceText({ sinceMs, begins }: SessionRecord): string {
  const ago = durationText(Math.max(0, Date.now() - sinceMs));
  return `recorded since ${new Date(sinceMs).toISOString()} (${ago} ago): ${reasons[begins]}`;
}
