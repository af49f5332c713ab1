import * as z from 'zod/v4';
import { sanitize } from '#base';
import { type Coordinator, type SessionInfo, startMark } from '#model';
import type { Caller } from '../caller.ts';
import { type Call, defineTool, looks } from '../tool.ts';
import { exitAnswer } from '../tools/fields.ts';
import {
  type FoundSession,
  fetchUnread,
  isLimit,
  limitText,
  sessionId,
  sessionToRead,
} from './termcp-session.ts';
import { withoutCommands } from './unread-bytes.ts';

export const readOutput = defineTool({
  name: 'read_output',
  title: 'Read output',
  description:
    'All output since the last read, as the program wrote it. Returns when the program waits for input or exits, or after timeout_ms.',
  annotations: looks,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    timeout_ms: z.int().min(0).max(30_000).default(1000),
    max_bytes: z.int().min(1024).max(1_048_576).default(65_536),
  }),
  output: z.object({
    output: z.string(),
    more_bytes: z.int(),
    lost_bytes: z.int().optional(),
    exited: z.boolean(),
    exit_code: z.int().nullable(),
    signal: z.string().optional(),
    limit_exceeded: z.string().optional(),
    untrusted: z.literal(true),
  }),
  async run({ session_id, timeout_ms, max_bytes }, caller, call) {
    const found = await sessionToRead(caller, session_id);
    const { coordinator, session } = found;
    if (!caller.unread.has(session.id)) await outputSettles(found, timeout_ms, caller, call);
    const lost = await fetchUnread(caller, coordinator, session);
    const { text, leftBytes } = caller.unread.take(session.id, max_bytes);
    const { exitStatus, endedBy } = await coordinator.info(session);
    const isStripped = caller.options.termcp?.stripAnsi === true;
    const limited = endedBy !== undefined && isLimit(endedBy);
    if (limited) caller.known.reportEnd(session_id);
    return {
      output: isStripped ? sanitize(text).text : withoutCommands(text),
      more_bytes: leftBytes,
      ...(lost > 0 ? { lost_bytes: lost } : {}),
      ...exitAnswer(exitStatus),
      ...(limited ? { limit_exceeded: limitText(endedBy) } : {}),
      untrusted: true as const,
    };
  },
});

/** The program is checked after this much silence, in ms. It doubles from the first to the last value. */
const pauses = { firstMs: 100, lastMs: 1000 };

/**
 * Resolves when there is unread output and the program writes no more for now: it reads its terminal
 * or has exited. Silence alone is enough only if the system does not report whether a program reads,
 * because working programs pause too.
 */
async function outputSettles(
  { coordinator, session }: FoundSession,
  timeoutMs: number,
  caller: Caller,
  { signal }: Call,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const since = caller.marks.of(session.id).readMark ?? startMark;
  const wait = { signal, tail: { maxLines: 0 } };
  const anything = { raw: true, match: ['(?s).'], since };
  let waited = await coordinator.wait(session, { ...wait, ...anything, timeoutMs });
  for (let quietMs = pauses.firstMs; ; quietMs = Math.min(2 * quietMs, pauses.lastMs)) {
    const restMs = endMs - performance.now();
    if (waited.outcome === 'timed_out' || waited.outcome === 'exited' || restMs <= 0) return;
    waited = await coordinator.wait(session, { ...wait, quietMs, timeoutMs: restMs });
    if (waited.outcome === 'idle' && !(await isWorking(coordinator, session))) return;
  }
}

async function isWorking(coordinator: Coordinator, session: SessionInfo): Promise<boolean> {
  const { state, evidence } = await coordinator.activity(session);
  return state !== 'exited' && evidence.readingTerminal === false;
}
