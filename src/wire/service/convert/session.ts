import { constants } from 'node:os';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ExitStatus, SessionActivity, SessionInfo } from '#model';
import {
  type ExitStatus as ExitStatusMessage,
  ExitStatusSchema,
  type Session,
  type SessionActivity as SessionActivityMessage,
  SessionActivitySchema,
  SessionSchema,
} from '../gen/vtr.gen.ts';
import { fromActivity, toActivity } from './activity.ts';
import { field } from './field.ts';
import { labelsField } from './labels.ts';
import { fromEndedBy, fromEnds, toEndedBy, toEnds } from './lifetime.ts';
import { fromTimestamp, toTimestamp } from './time.ts';
import { enumOf, wordOf } from './words.ts';

export function toSession(info: SessionInfo): Session {
  const { state, size, cwd, createdAtMs, exitedAtMs, exitStatus, args, ...others } = info;
  const { lifetime, limits, endedBy, activity, ...same } = others;
  return create(SessionSchema, {
    ...same,
    ...size,
    args: [...args],
    status: enumOf('SessionStatus', state),
    workingDir: cwd,
    revision: BigInt(info.revision),
    createdAt: toTimestamp(createdAtMs),
    ...(exitedAtMs === null ? {} : { exitedAt: toTimestamp(exitedAtMs) }),
    ...(exitStatus === null
      ? {}
      : { exitCode: exitCodeOf(exitStatus), exitStatus: toExitStatus(exitStatus) }),
    ...toEnds(info),
    ...field('endedBy', endedBy && toEndedBy(endedBy)),
    ...field('activity', activity && toSessionActivity(activity)),
  });
}

export function fromSession(session: Session): SessionInfo {
  const { name, id, program, args, workingDir, pid, cols, rows, title } = session;
  return {
    name,
    id,
    state: wordOf('SessionStatus', session.status) ?? 'exited',
    program,
    args,
    cwd: workingDir,
    pid,
    size: { cols, rows },
    title,
    revision: Number(session.revision),
    createdAtMs: fromTimestamp(session.createdAt),
    exitedAtMs: session.exitedAt === undefined ? null : fromTimestamp(session.exitedAt),
    exitStatus: fromExitStatus(session.exitStatus),
    ...field('fedBy', session.fedBy),
    ...fromEnds(session),
    ...field('endedBy', fromEndedBy(session.endedBy)),
    ...labelsField(session.labels),
    ...field('activity', fromSessionActivity(session.activity)),
  };
}

const toSessionActivity = ({ command, directory, ...activity }: SessionActivity) =>
  create(SessionActivitySchema, {
    activity: toActivity(activity),
    ...field('command', command),
    ...field('directory', directory),
  });

function fromSessionActivity(message: SessionActivityMessage | undefined): SessionActivity | null {
  if (message?.activity === undefined) return null;
  const { activity, command = null, directory = null } = message;
  return { ...fromActivity(activity), command, directory };
}

export function toExitStatus({ code, signal }: ExitStatus): ExitStatusMessage {
  const status: MessageInitShape<typeof ExitStatusSchema> = {};
  if (code !== null) status.code = code;
  if (signal !== null) status.signal = signal;
  return create(ExitStatusSchema, status);
}

export const fromExitStatus = (status: ExitStatusMessage | undefined): ExitStatus | null =>
  status === undefined ? null : { code: status.code ?? null, signal: status.signal ?? null };

/** Returns one number for both, as shells do: 128 + n for signal n. */
export function exitCodeOf({ code, signal }: ExitStatus): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return 128 + (numbers[signal ?? ''] ?? 0);
}
