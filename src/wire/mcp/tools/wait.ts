import * as z from 'zod/v4';
import { questionNews, timeoutNews } from '../lean.ts';
import { PlainLines } from '../reading/terminal-text.ts';
import { defineTool, looks } from '../tool.ts';
import { type Waited, waitAnswer, waitFor } from '../waiting/wait-for.ts';
import {
  exitAnswer,
  exitFields,
  sessionId,
  waitedFields,
  waitFields,
  withoutDescriptions,
} from './fields.ts';

export const wait = defineTool({
  name: 'terminal__wait',
  title: 'Wait',
  description:
    'Wait without reading, as for a build, with the conditions of terminal__read; without one, for the exit.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId,
    ...withoutDescriptions(waitFields),
  }),
  output: z.object({
    ...withoutDescriptions(waitedFields),
    outcome: z.string(),
    state: z.string().optional(),
    matched_line: z.string().optional(),
    ...exitFields,
    timeout_ms: z.int(),
    removed: z.int().optional(),
    untrusted: z.literal(true),
  }),
  always: ['outcome'],
  never: ['exited'],
  async run({ session_id, ...args }, caller, call) {
    const coordinator = await caller.coordinatorOf(session_id);
    const session = await coordinator.info(session_id);
    // Without a condition it waits for the exit.
    const asked = { ...args, wait_for_exit: true };
    const waited = (await waitFor(coordinator, session, asked, caller, call)) as Waited;
    const told = answer(waited);
    if (!caller.isLean) return told;
    const { matched, matched_before, menu } = told;
    const question = questionNews(told, '');
    const hasText = (matched ?? question ?? menu ?? matched_before) !== undefined;
    return {
      ...told,
      question,
      state: told.state === 'running' ? undefined : told.state,
      matched_line: told.matched_line === told.matched ? undefined : told.matched_line,
      timeout_ms: timeoutNews(waited),
      untrusted: hasText ? (true as const) : undefined,
    };
  },
});

function answer(waited: Waited) {
  const lines = new PlainLines();
  const { outcome, match, exitStatus, activity, timeoutMs } = waited;
  return {
    ...waitAnswer(waited, lines),
    ...(match === undefined ? {} : { matched_line: lines.plain(match.text) }),
    ...exitAnswer(exitStatus),
    outcome,
    ...(activity === undefined ? {} : { state: activity.state }),
    timeout_ms: Math.round(timeoutMs),
    ...lines.facts(),
  };
}
