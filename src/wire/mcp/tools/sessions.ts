import * as z from 'zod/v4';
import { sanitize } from '#base';
import type { SessionInfo } from '#model';
import { cursorAnswer } from '../reading/read-view.ts';
import { changes, defineTool, ends, looks } from '../tool.ts';
import {
  cursor,
  dimensions,
  exitAnswer,
  exitCode,
  sessionAnswer,
  sessionFields,
  sessionId,
} from './fields.ts';
import { programCwd } from './program-cwd.ts';

const activityFields = {
  state: z.string(),
  seconds: z.int().optional(),
  command: z.string().nullable().optional(),
  cwd: z.string().nullable(),
  labels: z.record(z.string(), z.string()).optional(),
};

/** The fields of a session in a list, in addition to those of terminal__get_info. */
function activityAnswer({ activity, labels, exitStatus }: SessionInfo, nowMs: number) {
  const { state = 'running', sinceMs = null, command, directory } = activity ?? {};
  return {
    state: exitStatus === null ? state : ('exited' as const),
    ...(sinceMs === null ? {} : { seconds: Math.max(0, Math.round((nowMs - sinceMs) / 1000)) }),
    ...(command ? { command: sanitize(command).text } : {}),
    cwd: directory ? sanitize(directory).text : null,
    ...(labels === undefined ? {} : { labels }),
  };
}

export const listSessions = defineTool({
  name: 'terminal__list_sessions',
  title: 'List terminal sessions',
  description:
    'List all sessions, including those of people and other agents: state and its seconds, command, directory.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({}),
  output: z.object({
    sessions: z.array(z.object({ ...sessionFields, ...activityFields })),
    count: z.int(),
  }),
  always: ['sessions', 'count'],
  never: ['pid', 'created_at', 'dimensions', 'exited', 'healthy'],
  async run(_args, { host }) {
    const sessions = (await (await host.reach())?.list({ activity: true })) ?? [];
    const nowMs = Date.now();
    const told = sessions.map((info) => ({
      ...sessionAnswer(info),
      ...activityAnswer(info, nowMs),
    }));
    return { sessions: told, count: sessions.length };
  },
});

export const getInfo = defineTool({
  name: 'terminal__get_info',
  title: 'Get session info',
  description: 'Describe a session (state, cwd, exit code) without its text.',
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
    // Last, so that a program that has exited by now has an exit status.
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

export const resize = defineTool({
  name: 'terminal__resize',
  title: 'Resize terminal',
  description: 'Resize a session; rows and cols are 1 to 1000.',
  annotations: changes,
  isCore: false,
  input: z.strictObject({ session_id: sessionId, rows: z.int(), cols: z.int() }),
  output: z.object({ dimensions }),
  always: ['dimensions'],
  async run({ session_id, rows, cols }, caller) {
    const coordinator = await caller.coordinatorOf(session_id);
    await coordinator.resize(session_id, { rows, cols });
    const { id } = await coordinator.info(session_id);
    caller.marks.of(id).size = { rows, cols };
    return { dimensions: { rows, cols } };
  },
});

export const destroySession = defineTool({
  name: 'terminal__destroy_session',
  title: 'Destroy terminal session',
  description:
    'End a program and its descendants, and remove the session. A session whose program has exited stays readable until then.',
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
  always: ['destroyed'],
  async run({ session_id: name, force = false }, caller) {
    const coordinator = await caller.coordinatorOf(name);
    const { id } = await coordinator.info(name);
    const status = await coordinator.remove({ name, id }, { force });
    caller.marks.forget(id);
    caller.service.destroyed(name);
    const { exited: destroyed, ...how } = exitAnswer(status);
    return { destroyed, ...how };
  },
});
