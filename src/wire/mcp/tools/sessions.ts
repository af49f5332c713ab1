import * as z from 'zod/v4';
import { sanitize } from '#base';
import { cursorAnswer } from '../reading/read-view.ts';
import { defineTool, looks } from '../tool.ts';
import { cursor, sessionFields, sessionId } from './fields.ts';
import { programCwd } from './program-cwd.ts';
import { sessionAnswer } from './session-answer.ts';

export const getInfo = defineTool({
  name: 'terminal__get_info',
  title: 'Get session info',
  description: 'What a session is and does (state, cwd, exit code), without its text.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({ session_id: sessionId }),
  output: z.object({
    ...sessionFields,
    cursor,
    cwd: z.string().nullable(),
    state: z.string(),
  }),
  async run({ session_id: session }, caller) {
    const coordinator = await caller.coordinatorOf(session);
    const { id, name } = await coordinator.info(session);
    const ref = { id, name };
    const [screen, { state, evidence }] = await Promise.all([
      coordinator.screen(ref),
      coordinator.activity(ref),
    ]);
    // Asked last: what has exited by then has an exit status.
    const info = await coordinator.info(ref);
    const pid = evidence.foreground?.pid ?? info.pid;
    const cwd = info.exitStatus === null ? await programCwd(pid) : null;
    return {
      ...sessionAnswer(info),
      cursor: cursorAnswer(screen),
      cwd: cwd && sanitize(cwd).text,
      state: info.exitStatus === null ? state : 'exited',
    };
  },
});
