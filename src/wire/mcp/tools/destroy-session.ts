import * as z from 'zod/v4';
import { defineTool, ends } from '../tool.ts';
import { exitCode, sessionId } from './fields.ts';
import { exitAnswer } from './session-answer.ts';

export const destroySession = defineTool({
  name: 'terminal__destroy_session',
  title: 'Destroy terminal session',
  description:
    'End a session and all that runs in it. Sessions whose program has exited stay readable until then.',
  annotations: ends,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId,
    force: z.boolean().optional().describe('SIGKILL at once'),
  }),
  output: z.object({
    destroyed: z.boolean(),
    exit_code: exitCode,
    signal: z.string().optional(),
  }),
  async run({ session_id: name, force = false }, caller) {
    const coordinator = await caller.coordinatorOf(name);
    const { id } = await coordinator.info(name);
    const status = await coordinator.remove({ name, id }, { force });
    caller.places.forget(id);
    caller.service.destroyed(name);
    const { exited: destroyed, ...how } = exitAnswer(status);
    return { destroyed, ...how };
  },
});
