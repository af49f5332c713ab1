import { constants } from 'node:os';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ExitStatus, SessionInfo, SessionRef } from '#model';
import {
  type ExitStatus as ExitStatusMessage,
  ExitStatusSchema,
  type Session,
  SessionSchema,
  SessionStatus,
} from '../gen/vtr.gen.ts';
import { field } from './field.ts';
import { fromEndedBy, fromEnds, toEndedBy, toEnds } from './lifetime.ts';
import { fromTimestamp, toTimestamp } from './time.ts';

/** How requests name a session. */
interface Named {
  readonly name: string;
  readonly sessionId: string;
}

export const toRef = ({ name, sessionId: id }: Named): SessionRef =>
  id === '' ? name : { name, id };

export const fromRef = (ref: SessionRef): Named =>
  typeof ref === 'string' ? { name: ref, sessionId: '' } : { name: ref.name, sessionId: ref.id };

export function toSession(info: SessionInfo): Session {
  const { state, size, cwd, createdAtMs, exitedAtMs, exitStatus, args, ...others } = info;
  const { lifetime, limits, endedBy, ...same } = others;
  return create(SessionSchema, {
    ...same,
    ...size,
    args: [...args],
    status: state === 'running' ? SessionStatus.RUNNING : SessionStatus.EXITED,
    workingDir: cwd,
    revision: BigInt(info.revision),
    createdAt: toTimestamp(createdAtMs),
    ...(exitedAtMs === null ? {} : { exitedAt: toTimestamp(exitedAtMs) }),
    ...(exitStatus === null
      ? {}
      : { exitCode: exitCodeOf(exitStatus), exitStatus: toExitStatus(exitStatus) }),
    ...toEnds(info),
    ...field('endedBy', endedBy && toEndedBy(endedBy)),
  });
}

export function fromSession(session: Session): SessionInfo {
  const { name, id, program, args, workingDir, pid, cols, rows, title } = session;
  return {
    name,
    id,
    state: session.status === SessionStatus.RUNNING ? 'running' : 'exited',
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
  };
}

export function toExitStatus({ code, signal }: ExitStatus): ExitStatusMessage {
  const status: MessageInitShape<typeof ExitStatusSchema> = {};
  if (code !== null) status.code = code;
  if (signal !== null) status.signal = signal;
  return create(ExitStatusSchema, status);
}

export const fromExitStatus = (status: ExitStatusMessage | undefined): ExitStatus | null =>
  status === undefined ? null : { code: status.code ?? null, signal: status.signal ?? null };

/** One number for both ways to end, as shells have it: 128 + n for signal n. */
export function exitCodeOf({ code, signal }: ExitStatus): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return 128 + (numbers[signal ?? ''] ?? 0);
}
