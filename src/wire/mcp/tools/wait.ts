import * as z from 'zod/v4';
import { defined, isGlob } from '#base';
import type { Coordinator } from '#model';
import type { Caller } from '../caller.ts';
import {
  asInRead,
  exitAnswer,
  exitFields,
  rareWaitedFields,
  sessionId,
  waitedFields,
  waitFields,
  withoutDescriptions,
} from '../fields.ts';
import { questionNews, timeoutNews } from '../lean.ts';
import { PlainLines } from '../reading/terminal-text.ts';
import {
  type WaitArguments,
  type Waited,
  waitAnswer,
  waitFor,
  waitForFirst,
} from '../reading/wait-for.ts';
import { type Call, defineTool, looks } from '../tool.ts';

export const wait = defineTool({
  name: 'terminal__wait',
  title: 'Wait',
  description:
    'Wait without reading, with the conditions of terminal__read; without one, for the exit. With several sessions, returns the first with news for you; on timed_out, all states.',
  annotations: looks,
  isCore: true,
  input: z.strictObject({
    session_id: z.union([sessionId, z.array(sessionId)]).describe('Also a glob, or several'),
    ...withoutDescriptions(waitFields),
  }),
  output: z.object({
    session_id: sessionId.optional(),
    ...withoutDescriptions(waitedFields),
    ...asInRead(rareWaitedFields),
    outcome: z.string(),
    state: z.string().optional(),
    sessions: z.array(z.record(z.string(), z.string())).optional(),
    matched_line: z.string().optional(),
    ...exitFields,
    timeout_ms: z.int(),
    removed: z.int().optional(),
    untrusted: z.literal(true),
  }),
  always: ['outcome'],
  never: ['exited'],
  async run({ session_id, ...args }, caller, call) {
    const names = [session_id].flat();
    const [name = ''] = names;
    const coordinator = await caller.coordinatorOf(name);
    const isOne = names.length === 1 && !isGlob(name);
    const {
      session,
      states,
      result: waited,
    } = isOne
      ? await waitInOne(coordinator, name, args, caller, call)
      : await waitForFirst(coordinator, names, args, caller, call);
    const isFirst = !isOne && waited.outcome !== 'timed_out';
    const fields = {
      ...(isFirst && { session_id: session }),
      ...answer(waited),
      ...(states !== undefined && { sessions: states, state: undefined }),
    };
    if (!caller.isLean) return fields;
    const { matched, matched_before, menu } = fields;
    const question = questionNews(fields, '');
    const hasText = (matched ?? question ?? menu ?? matched_before) !== undefined;
    return {
      ...fields,
      question,
      state: fields.state === 'running' ? undefined : fields.state,
      matched_line: fields.matched_line === fields.matched ? undefined : fields.matched_line,
      timeout_ms: timeoutNews(waited),
      untrusted: hasText ? (true as const) : undefined,
    };
  },
});

async function waitInOne(
  coordinator: Coordinator,
  name: string,
  args: WaitArguments,
  caller: Caller,
  call: Call,
) {
  const session = await coordinator.info(name);
  // Without a condition it waits for the exit.
  const request = { ...args, wait_for_exit: true };
  const result = (await waitFor(coordinator, session, request, caller, call)) as Waited;
  return { session: session.name, result, states: undefined };
}

function answer(waited: Waited) {
  const lines = new PlainLines();
  const { outcome, match, exitStatus, activity, timeoutMs } = waited;
  return {
    ...waitAnswer(waited, lines),
    ...defined({ matched_line: match && lines.plain(match.text) }),
    ...exitAnswer(exitStatus),
    outcome,
    ...defined({ state: activity?.state }),
    timeout_ms: Math.round(timeoutMs),
    ...lines.facts(),
  };
}
