import * as z from 'zod/v4';
import { PlainLines } from '../reading/terminal-text.ts';
import { defineTool, looks } from '../tool.ts';
import type { Waited } from '../waiting/input-needed.ts';
import { waitFor } from '../waiting/wait-for.ts';
import { exitAnswer, exitFields, sessionId, waitFields } from './fields.ts';

export const wait = defineTool({
  name: 'terminal__wait',
  title: 'Wait for terminal',
  description:
    'Wait without reading, for a build, a server or an exit. Without a condition, waits for the exit. outcome is the reason the wait ended.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId,
    ...waitFields,
    timeout_ms: waitFields.timeout_ms.describe('Wait limit, default 30000'),
  }),
  output: z.object({
    outcome: z.string(),
    matched: z.string().optional(),
    matched_line: z.string().optional(),
    command_exit_code: z.int().nullable().optional(),
    ...exitFields,
    timeout_ms: z.int(),
    removed: z.int().optional(),
    untrusted: z.literal(true),
  }),
  async run({ session_id, ...args }, caller, call) {
    const coordinator = await caller.coordinatorOf(session_id);
    const session = await coordinator.info(session_id);
    // Without a condition it waits for the exit.
    const asked = { ...args, wait_for_exit: true };
    return answer((await waitFor(coordinator, session, asked, caller, call)) as Waited);
  },
});

function answer({ outcome, match, command, exitStatus, timeoutMs }: Waited) {
  const lines = new PlainLines();
  return {
    outcome,
    ...(match === undefined
      ? {}
      : { matched: lines.plain(match.matched), matched_line: lines.plain(match.text) }),
    ...(command === undefined ? {} : { command_exit_code: command.exitCode }),
    ...exitAnswer(exitStatus),
    timeout_ms: Math.round(timeoutMs),
    ...lines.facts(),
  };
}
