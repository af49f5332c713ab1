import { constants } from 'node:os';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type {
  Attention,
  ExitStatus,
  PausedOutput,
  Persistence,
  SessionActivity,
  SessionInfo,
} from '#model';
import {
  type Attention as AttentionMessage,
  AttentionSchema,
  type ExitStatus as ExitStatusMessage,
  ExitStatusSchema,
  type PausedOutput as PausedOutputMessage,
  PausedOutputSchema,
  type Persistence as PersistenceMessage,
  PersistenceSchema,
  type Session,
  type SessionActivity as SessionActivityMessage,
  SessionActivitySchema,
  SessionSchema,
} from '../gen/vtr.gen.ts';
import { fromActivity, toActivity } from './activity.ts';
import { fromDriver, fromViewer, toDriver, toViewer } from './driver.ts';
import { field } from './field.ts';
import { labelsField } from './labels.ts';
import { fromEndedBy, fromEnds, toEndedBy, toEnds } from './lifetime.ts';
import { fromFileRecording, toFileRecording } from './recording.ts';
import { fromTimestamp, toTimestamp } from './time.ts';
import { enumOf, wordOf } from './words.ts';

export function toSession(info: SessionInfo): Session {
  const { state, size, cwd, createdAtMs, exitedAtMs, exitStatus, args, ...others } = info;
  const { lifetime, limits, endedBy, activity, attention, restored, paused, ...rest } = others;
  const { persist, driver, viewers = [], recording, droppedReplyBytes = 0, ...same } = rest;
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
    ...field('attention', attention && toAttention(attention)),
    restored: enumOf('SessionRestored', restored),
    ...field('paused', paused && toPaused(paused)),
    ...field('persist', persist && toPersistence(persist)),
    ...field('driver', driver && toDriver(driver)),
    viewers: viewers.map(toViewer),
    ...field('recording', recording && toFileRecording(recording)),
    droppedReplyBytes: BigInt(droppedReplyBytes),
    ...field('redacted', info.redacted),
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
    ...field('attention', fromAttention(session.attention)),
    ...field('restored', wordOf('SessionRestored', session.restored)),
    ...field('paused', session.paused && fromPaused(session.paused)),
    ...field('persist', fromPersistence(session.persist)),
    ...field('driver', session.driver && fromDriver(session.driver)),
    ...(session.driverEpoch > 0 && { driverEpoch: session.driverEpoch }),
    ...(session.viewers.length > 0 && { viewers: session.viewers.map(fromViewer) }),
    ...field('recording', session.recording && fromFileRecording(session.recording)),
    ...field('redacted', session.redacted),
    ...(session.droppedReplyBytes > 0n && {
      droppedReplyBytes: Number(session.droppedReplyBytes),
    }),
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

const toAttention = ({ kind, sinceMs, evidence }: Attention) =>
  create(AttentionSchema, {
    kind: enumOf('AttentionKind', kind),
    since: toTimestamp(sinceMs),
    evidence,
  });

function fromAttention(message: AttentionMessage | undefined): Attention | null {
  if (message === undefined) return null;
  const { kind, since, evidence } = message;
  // A kind of a later version.
  const word = wordOf('AttentionKind', kind) ?? 'notification';
  return { kind: word, sinceMs: fromTimestamp(since), evidence };
}

const toPaused = ({ sinceMs, bytes }: PausedOutput) =>
  create(PausedOutputSchema, { since: toTimestamp(sinceMs), bytes: BigInt(bytes) });

const fromPaused = ({ since, bytes }: PausedOutputMessage): PausedOutput => ({
  sinceMs: fromTimestamp(since),
  bytes: Number(bytes),
});

export const toPersistence = ({ state, reason }: Persistence): PersistenceMessage =>
  create(PersistenceSchema, { state: enumOf('PersistState', state), reason: reason ?? '' });

/** Null when absent, and for a state of a later version. */
export function fromPersistence(message: PersistenceMessage | undefined): Persistence | null {
  const state = message && wordOf('PersistState', message.state);
  if (state === undefined) return null;
  return { state, ...field('reason', message?.reason || null) };
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
