import * as z from 'zod/v4';
import { defined, globPattern, isGlob, sanitize } from '#base';
import {
  asVtrError,
  type CommandRecord,
  type Coordinator,
  type SessionInfo,
  type SessionRef,
  type Size,
  VtrError,
} from '#model';
import type { Caller } from '../caller.ts';
import {
  agentAnswer,
  attentionAnswer,
  cursor,
  dimensions,
  exitAnswer,
  exitCode,
  menu,
  placeAnswer,
  sessionAnswer,
  sessionFields,
  sessionId,
  stateOf,
} from '../fields.ts';
import { cursorAnswer } from '../reading/read-view.ts';
import { changes, defineTool, ends, looks } from '../tool.ts';

export const getInfo = defineTool({
  name: 'terminal__get_info',
  title: 'Describe session',
  description: 'As terminal__list_sessions with session_id.',
  annotations: looks,
  isCore: false,
  isUnlisted: true,
  input: z.strictObject({ session_id: sessionId }),
  output: z.object({
    ...sessionFields,
    cursor,
    cwd: z.string().nullable(),
    branch: z.string().optional(),
    state: z.string(),
    command: z.string().optional(),
    unverified: z.boolean().optional(),
    agent: z.string().optional(),
    attention: z.string().optional(),
    guess: z.boolean().optional(),
    menu: menu.optional(),
    labels: z.record(z.string(), z.string()).optional(),
    driver: z
      .object({ kind: z.string(), name: z.string(), since: z.string(), epoch: z.int() })
      .optional(),
    viewers: z.array(z.string()).optional(),
  }),
  never: ['healthy'],
  run: ({ session_id }, caller) => described(session_id, caller),
});

/** Returns all that is known of a session, without its text. @throws VtrError SESSION_NOT_FOUND */
export async function described(session: string, caller: Caller) {
  const coordinator = await caller.coordinatorOf(session);
  const { id, name } = await coordinator.info(session);
  const ref = { id, name };
  const [screen, { commands }] = await Promise.all([
    coordinator.screen(ref),
    coordinator.commands(ref, { last: 1 }),
  ]);
  // Last, so that a program that has exited by now has an exit status.
  const info = await coordinator.info(ref, { activity: true });
  caller.marks.of(id).knowsEnd ||= info.exitStatus !== null;
  return {
    ...sessionAnswer(info),
    cursor: cursorAnswer(screen),
    ...placeAnswer(info),
    state: stateOf(info),
    ...commandAnswer(info, commands.at(-1)),
    ...agentAnswer(info),
    ...attentionAnswer(info),
    ...defined({ labels: info.labels }),
    ...driverAnswer(info),
  };
}

/** Returns who types in the session, and who sees it. */
function driverAnswer({ driver, viewers }: SessionInfo) {
  const since = driver && new Date(driver.sinceMs).toISOString();
  return defined({
    driver: driver && {
      kind: driver.kind,
      name: driver.name,
      since: since ?? '',
      epoch: driver.epoch,
    },
    viewers: viewers?.map(({ name }) => name),
  });
}

/** Returns the line that the shell runs. */
function commandAnswer({ exitStatus }: SessionInfo, last: CommandRecord | undefined) {
  if (exitStatus !== null || last?.state !== 'running' || last.line === null) return {};
  return {
    command: sanitize(last.line).text,
    ...defined({ unverified: last.unverified || undefined }),
  };
}

export const resize = defineTool({
  name: 'terminal__resize',
  title: 'Resize',
  description: 'As terminal__send with rows and cols.',
  annotations: changes,
  isCore: false,
  isUnlisted: true,
  input: z.strictObject({ session_id: sessionId, rows: z.int(), cols: z.int() }),
  output: z.object({ dimensions }),
  always: ['dimensions'],
  async run({ session_id, ...size }, caller) {
    const coordinator = await caller.coordinatorOf(session_id);
    const session = await coordinator.info(session_id);
    return { dimensions: await resized(coordinator, session, size, caller) };
  },
});

/** Changes the size of a session; returns the new one. @throws VtrError INVALID_SIZE */
export async function resized(
  coordinator: Coordinator,
  { id, name, size }: SessionInfo,
  { rows = size.rows, cols = size.cols }: Partial<Size>,
  caller: Caller,
): Promise<Size> {
  await coordinator.resize({ id, name }, { rows, cols }, { by: caller.agent });
  caller.marks.of(id).size = { rows, cols };
  return { rows, cols };
}

export const destroySession = defineTool({
  name: 'terminal__destroy_session',
  title: 'Destroy session',
  description: 'End a program and its descendants; remove the session.',
  annotations: ends,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId.describe('Or a glob of your sessions'),
    force: z.boolean().optional().describe('SIGKILL, also with work left in its worktree'),
  }),
  output: z.object({
    destroyed: z.boolean(),
    exit_code: exitCode,
    signal: z.string().optional(),
    sessions: z.array(z.string()).optional(),
  }),
  always: ['destroyed'],
  async run({ session_id: name, force = false }, caller) {
    const coordinator = await caller.coordinatorOf(name);
    if (isGlob(name)) return destroyMatching(coordinator, name, force, caller);
    const { id } = await coordinator.info(name);
    const status = await destroy(coordinator, { name, id }, force, caller);
    const { exited: destroyed, ...how } = exitAnswer(status);
    return { destroyed, ...how };
  },
});

async function destroy(
  coordinator: Coordinator,
  session: Exclude<SessionRef, string>,
  force: boolean,
  caller: Caller,
) {
  const removal = coordinator.remove(session, { force, keepsWork: !force });
  const status = await removal.catch((thrown) => {
    const { code, message } = asVtrError(thrown);
    if (code !== 'WORK_LEFT') throw thrown;
    throw new VtrError(code, `${message}\nor destroy it with force: true`);
  });
  caller.marks.forget(session.id);
  caller.service.destroyed(session.name);
  return status;
}

/**
 * Destroys the sessions that this client created and whose names match. Others' sessions may have
 * such names too: those have to be named.
 *
 * @throws VtrError SESSION_NOT_FOUND if none matches; the first failure, after all others ended
 */
async function destroyMatching(
  coordinator: Coordinator,
  glob: string,
  force: boolean,
  caller: Caller,
) {
  const pattern = globPattern(glob);
  if (pattern === null) throw new VtrError('INVALID_ARGUMENT', `glob ${glob} is not valid`);
  const sessions = (await coordinator.list())
    .filter(({ id, name }) => pattern.test(name) && caller.marks.hasMade(id))
    .map(({ id, name }) => ({ id, name }));
  if (sessions.length === 0) {
    throw new VtrError('SESSION_NOT_FOUND', `no session that you created matches ${glob}`);
  }
  const results = await Promise.allSettled(
    sessions.map((session) => destroy(coordinator, session, force, caller)),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return { destroyed: true, exit_code: null, sessions: sessions.map(({ name }) => name).sort() };
}
