import { constants } from 'node:os';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { defined, quoted } from '#base';
import {
  type Attention as AttentionMessage,
  AttentionSchema,
  EndedBySchema,
  type ExitStatus as ExitStatusMessage,
  ExitStatusSchema,
  type PausedOutput as PausedOutputMessage,
  PausedOutputSchema,
  type Persistence as PersistenceMessage,
  PersistenceSchema,
  type PublishedSession,
  PublishedSessionSchema,
  type Session,
  type SessionActivity as SessionActivityMessage,
  SessionActivitySchema,
  type SessionEnvironment as SessionEnvironmentMessage,
  SessionEnvironmentSchema,
  SessionLifetimeSchema,
  SessionLimitsSchema,
  SessionSchema,
} from '#messages';
import {
  type Attention,
  type ExitStatus,
  isSessionName,
  type PausedOutput,
  type Persistence,
  type PublishRequest,
  type SessionActivity,
  type SessionEnvironment,
  type SessionInfo,
} from '#model';
import {
  fromActivity,
  fromAgent,
  fromMenu,
  fromProgramStatus,
  toActivity,
  toAgent,
  toMenu,
  toProgramStatus,
} from './activity.ts';
import { fromDriver, fromViewer, toDriver, toViewer } from './driver.ts';
import { enumOf, field, fromTimestamp, protocolError, toTimestamp, wordOf } from './field.ts';
import { fromEndedBy, fromEnds, labelsField, toEndedBy, toEnds } from './lifetime.ts';
import { fromFileRecording, toFileRecording } from './recording.ts';

export function toSession(info: SessionInfo): Session {
  // Field by field: with spread objects, a list of a thousand sessions took eight times as long.
  const message = create(SessionSchema);
  message.name = info.name;
  message.id = info.id;
  message.program = info.program;
  message.args = [...info.args];
  message.workingDir = info.cwd;
  message.pid = info.pid;
  message.cols = info.size.cols;
  message.rows = info.size.rows;
  message.title = info.title;
  message.status = enumOf('SessionStatus', info.state);
  message.revision = BigInt(info.revision);
  message.createdAt = create(TimestampSchema, toTimestamp(info.createdAtMs));
  message.restored = enumOf('SessionRestored', info.restored);
  if (info.persist !== undefined) message.persist = toPersistence(info.persist);
  if (info.labels !== undefined) message.labels = { ...info.labels };
  if (info.driver !== undefined) message.driver = toDriver(info.driver);
  if (info.driverEpoch !== undefined) message.driverEpoch = info.driverEpoch;
  if (info.viewers !== undefined) message.viewers = info.viewers.map(toViewer);
  if (info.activity !== undefined) message.activity = toSessionActivity(info.activity);
  if (info.attention !== undefined) message.attention = toAttention(info.attention);
  if (info.agent !== undefined) message.agent = toAgent(info.agent);
  if (info.programStatus !== undefined) message.programStatus = toProgramStatus(info.programStatus);
  if (info.bellAtMs !== undefined)
    message.lastBellAt = create(TimestampSchema, toTimestamp(info.bellAtMs));
  if (info.recording !== undefined) message.recording = toFileRecording(info.recording);
  addEnd(message, info);
  addNotes(message, info);
  return message;
}

/** Adds how the session ends or ended. */
function addEnd(message: Session, info: SessionInfo): void {
  const { exitedAtMs, exitStatus, endedBy } = info;
  const { lifetime, limits } = toEnds(info);
  if (lifetime !== undefined) message.lifetime = create(SessionLifetimeSchema, lifetime);
  if (limits !== undefined) message.limits = create(SessionLimitsSchema, limits);
  if (endedBy !== undefined) message.endedBy = create(EndedBySchema, toEndedBy(endedBy));
  if (exitedAtMs !== null) message.exitedAt = create(TimestampSchema, toTimestamp(exitedAtMs));
  if (exitStatus === null) return;
  message.exitCode = exitCodeOf(exitStatus);
  message.exitStatus = toExitStatus(exitStatus);
}

/** Adds what few sessions have. */
function addNotes(message: Session, info: SessionInfo): void {
  const { fedBy, paused, droppedReplyBytes, environment, redacted, sizing } = info;
  if (sizing !== undefined) message.sizing = enumOf('Sizing', sizing);
  if (fedBy !== undefined) message.fedBy = fedBy;
  if (paused !== undefined) message.paused = toPaused(paused);
  if (droppedReplyBytes !== undefined) message.droppedReplyBytes = BigInt(droppedReplyBytes);
  if (environment !== undefined) message.environment = toEnvironment(environment);
  if (redacted !== undefined) message.redacted = redacted;
}

/** Refuses a name that is not valid: people and scripts use names unchanged. @throws VtrError UNAVAILABLE */
export function checkName(name: string): void {
  if (isSessionName(name)) return;
  throw protocolError(`the coordinator sent ${quoted(name)} as the name of a session`);
}

/** In JSON, the values of a map are not checked with the message. @throws VtrError UNAVAILABLE */
function checkLabels(labels: Session['labels']): void {
  for (const name in labels) {
    if (typeof labels[name] === 'string') continue;
    throw protocolError('the coordinator sent a label that is not text');
  }
}

/** The properties of an info, in their order. */
type Info = { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] };

/** @throws VtrError UNAVAILABLE if its name or a label is not valid */
export function fromSession(session: Session): SessionInfo {
  checkName(session.name);
  checkLabels(session.labels);
  // Field by field: with spread objects, it took half as long again.
  const info: Info = {
    name: session.name,
    id: session.id,
    state: wordOf('SessionStatus', session.status) ?? 'exited',
    program: session.program,
    args: session.args,
    cwd: session.workingDir,
    pid: session.pid,
    size: { cols: session.cols, rows: session.rows },
    title: session.title,
    revision: Number(session.revision),
    createdAtMs: fromTimestamp(session.createdAt),
    exitedAtMs: session.exitedAt === undefined ? null : fromTimestamp(session.exitedAt),
    exitStatus: fromExitStatus(session.exitStatus),
  };
  readEnd(info, session);
  readUse(info, session);
  const { recording, redacted, droppedReplyBytes } = session;
  if (recording !== undefined) info.recording = fromFileRecording(recording);
  if (redacted !== undefined) info.redacted = redacted;
  if (droppedReplyBytes > 0n) info.droppedReplyBytes = Number(droppedReplyBytes);
  return info;
}

/** Adds who made the session, and how it ends or ended. */
function readEnd(info: Info, session: Session): void {
  if (session.fedBy !== undefined) info.fedBy = session.fedBy;
  if (session.environment !== undefined) info.environment = fromEnvironment(session.environment);
  const { lifetime, limits } = fromEnds(session);
  if (lifetime !== undefined) info.lifetime = lifetime;
  if (limits !== undefined) info.limits = limits;
  const endedBy = fromEndedBy(session.endedBy);
  if (endedBy !== undefined) info.endedBy = endedBy;
}

/** Adds what the session does, and for whom. */
function readUse(info: Info, session: Session): void {
  const { labels } = labelsField(session.labels);
  if (labels !== undefined) info.labels = labels;
  const activity = fromSessionActivity(session.activity);
  if (activity !== null) info.activity = activity;
  const attention = fromAttention(session.attention);
  if (attention !== null) info.attention = attention;
  if (session.lastBellAt !== undefined) info.bellAtMs = fromTimestamp(session.lastBellAt);
  if (session.agent !== undefined) info.agent = fromAgent(session.agent);
  const programStatus = fromProgramStatus(session.programStatus);
  if (programStatus !== null) info.programStatus = programStatus;
  const restored = wordOf('SessionRestored', session.restored);
  if (restored !== undefined) info.restored = restored;
  if (session.paused !== undefined) info.paused = fromPaused(session.paused);
  const persist = fromPersistence(session.persist);
  if (persist !== null) info.persist = persist;
  if (session.driver !== undefined) info.driver = fromDriver(session.driver);
  if (session.driverEpoch > 0) info.driverEpoch = session.driverEpoch;
  const sizing = wordOf('Sizing', session.sizing);
  if (sizing !== undefined) info.sizing = sizing;
  if (session.viewers.length > 0) info.viewers = session.viewers.map(fromViewer);
}

const toEnvironment = ({ kind, notPassed }: SessionEnvironment) =>
  create(SessionEnvironmentSchema, {
    kind: enumOf('EnvironmentMode', kind),
    notPassed: [...notPassed],
  });

function fromEnvironment({ kind, notPassed }: SessionEnvironmentMessage): SessionEnvironment {
  const word = wordOf('EnvironmentMode', kind) ?? 'inherit';
  return { kind: word === 'inherit' ? 'caller' : word, notPassed };
}

const toSessionActivity = ({ command, directory, branch, ...activity }: SessionActivity) =>
  create(SessionActivitySchema, {
    activity: toActivity(activity),
    ...defined({ command, directory, branch }),
  });

function fromSessionActivity(message: SessionActivityMessage | undefined): SessionActivity | null {
  if (message?.activity === undefined) return null;
  const { activity, command = null, directory = null, branch } = message;
  return { ...fromActivity(activity), command, directory, ...defined({ branch }) };
}

const toAttention = ({ kind, sinceMs, evidence, menu, questionId, guess = false }: Attention) =>
  create(AttentionSchema, {
    kind: enumOf('AttentionKind', kind),
    since: toTimestamp(sinceMs),
    evidence,
    guess,
    ...field('menu', menu && toMenu(menu)),
    ...field('questionId', questionId),
  });

function fromAttention(message: AttentionMessage | undefined): Attention | null {
  if (message === undefined) return null;
  const { kind, since, evidence, menu, questionId, guess } = message;
  // A kind of a later version.
  const word = wordOf('AttentionKind', kind) ?? 'notification';
  const shown = menu === undefined ? {} : { menu: fromMenu(menu) };
  const fields = { ...shown, ...defined({ questionId, guess: guess || undefined }) };
  return { kind: word, sinceMs: fromTimestamp(since), evidence, ...fields };
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

export function toPublishedSession(request: PublishRequest): PublishedSession {
  const { name = '', by, program = '', args = [], cwd = '', size, fromPipe = false } = request;
  return create(PublishedSessionSchema, {
    name,
    by,
    program,
    args: [...args],
    workingDir: cwd,
    fromPipe,
    ...field('size', size && { ...size }),
    ...toEnds(request),
    labels: { ...request.labels },
  });
}

export function fromPublishedSession(message: PublishedSession): PublishRequest {
  const { name, by, program, args, workingDir: cwd, size, fromPipe } = message;
  return {
    ...field('name', name === '' ? null : name),
    by,
    program,
    args,
    cwd,
    fromPipe,
    ...field('size', size && { cols: size.cols, rows: size.rows }),
    ...fromEnds(message),
    ...labelsField(message.labels),
  };
}
