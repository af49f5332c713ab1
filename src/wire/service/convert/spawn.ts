import { homedir } from 'node:os';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type {
  CallerEnvironment as CallerMessage,
  ResumedAgent as ResumedMessage,
  ReviveRequest as ReviveMessage,
  SpawnRequest as SpawnMessage,
  SpawnRequestSchema,
} from '#messages';
import {
  type CallerEnvironment,
  type CancelSignal,
  checkLabels,
  checkLifetime,
  checkLimits,
  checkRawBytes,
  checkScrollbackLines,
  checkSessionName,
  checkSize,
  defaultSize,
  maxRawBytes,
  type ResumedAgent,
  type RevivedSession,
  type ReviveRequest,
  type SpawnedSession,
  type SpawnRequest,
} from '#model';
import { thisMachine } from '#trust';
import { checked } from './driver.ts';
import { enumOf, field, fieldsOf, wordOf } from './field.ts';
import { fromEnds, labelsField, toEnds } from './lifetime.ts';
import { toSession } from './session.ts';
import { fromConditions, toConditions, toWaitResult } from './wait.ts';

/** As `SpawnRequest`, or with a command line instead of a program. */
export interface CommandRequest extends SpawnRequest {
  /** A program, or a line for the shell when it has more than one word. */
  readonly command?: string;
}

/**
 * Converts a request. Values that proto3 cannot represent are checked here: an empty name, a size of
 * 0, fractions.
 *
 * @throws VtrError INVALID_NAME, INVALID_SIZE, INVALID_ARGUMENT
 */
export function toSpawnMessage(
  request: CommandRequest,
): MessageInitShape<typeof SpawnRequestSchema> {
  const { name, program, args = [], cwd, env = {}, environment, size } = request;
  if (name !== undefined) checkSessionName(name);
  const checkedSize = checked(name ?? '(no name)', () => {
    checkLabels(request.labels ?? {});
    checkLifetime(request.lifetime ?? {});
    checkLimits(request.limits ?? {});
    checkScrollbackLines(request.scrollbackLines ?? 0);
    checkRawBytes(request.rawBytes ?? maxRawBytes);
    return size && checkSize(size);
  });
  return {
    ...defined({ name, program }),
    ...field('command', request.command),
    args: [...args],
    ...(cwd === undefined ? { inDaemonDir: true } : { workingDir: cwd }),
    env: { ...env },
    environment: enumOf('EnvironmentMode', environment),
    ...field('caller', toCaller(request)),
    ...defined({ cols: checkedSize?.cols, rows: checkedSize?.rows }),
    sizing: enumOf('Sizing', request.sizing),
    ...field('shellIntegration', request.shellIntegration),
    ...toEnds(request),
    ...fieldsOf(request, 'starts', 'agent'),
    ...field('leaseId', request.lease),
    ...fieldsOf(request, 'scrollbackLines', 'rawBytes'),
    labels: { ...request.labels },
    reuse: request.reuse ?? false,
    ...fieldsOf(request, 'inputId', 'by', 'persist', 'record', 'recordInput'),
    ...field(
      'wait',
      request.wait && checked(name ?? '(no name)', () => toConditions(request.wait ?? {})),
    ),
  };
}

/**
 * Converts a request. Empty values of proto3 become absent.
 *
 * @param signal of the call; it ends the wait
 */
export function fromSpawnMessage(message: SpawnMessage, signal?: CancelSignal): SpawnRequest {
  const { name, workingDir, inDaemonDir, env, cols, rows } = message;
  const cwd = workingDir !== '' ? workingDir : inDaemonDir ? undefined : homedir();
  const hasSize = cols !== 0 || rows !== 0;
  return {
    ...field('name', name === '' ? undefined : name),
    ...programOf(message),
    ...field('cwd', cwd),
    env,
    ...field('environment', wordOf('EnvironmentMode', message.environment)),
    ...field('caller', fromCaller(message.caller)),
    ...(hasSize && { size: { cols: cols || defaultSize.cols, rows: rows || defaultSize.rows } }),
    ...field('sizing', wordOf('Sizing', message.sizing)),
    ...field('shellIntegration', message.shellIntegration),
    ...fromEnds(message),
    ...fieldsOf(message, 'starts', 'agent'),
    ...field('lease', message.leaseId),
    ...fieldsOf(message, 'scrollbackLines', 'rawBytes'),
    ...labelsField(message.labels),
    ...defined({ reuse: message.reuse || undefined }),
    ...fieldsOf(message, 'inputId', 'by', 'persist', 'record', 'recordInput'),
    ...field(
      'wait',
      message.wait && { ...fromConditions(message.wait), ...field('signal', signal) },
    ),
  };
}

/** Returns nothing if the request is for the environment of a login. */
function toCaller({ caller, environment }: Pick<SpawnRequest, 'caller' | 'environment'>) {
  if (caller === undefined || environment === 'login') return undefined;
  const { variables, notPassed } = caller;
  return { machine: thisMachine(), variables: { ...variables }, notPassed: [...notPassed] };
}

/** Paths and programs of another machine are wrong here. */
function fromCaller(message: CallerMessage | undefined): CallerEnvironment | undefined {
  if (message === undefined || message.machine !== thisMachine()) return undefined;
  const { variables, notPassed } = message;
  return { variables, notPassed };
}

/** The port's part of a request to revive. @param signal of the call; it ends the wait */
export const fromReviveMessage = (
  message: Omit<ReviveMessage, 'name' | 'sessionId'>,
  signal?: CancelSignal,
): ReviveRequest => ({
  ...(message.program !== undefined && { program: message.program, args: message.args }),
  env: message.env,
  ...field('cwd', message.workingDir || undefined),
  ...field('environment', wordOf('EnvironmentMode', message.environment)),
  ...field('caller', fromCaller(message.caller)),
  ...field('wait', message.wait && { ...fromConditions(message.wait), ...field('signal', signal) }),
  ...field('inputId', message.inputId),
  ...field('now', message.now || undefined),
  ...field('forkAs', message.forkAs),
  ...field('conversation', message.conversation),
});

export const toSpawned = ({ reused, wait, ...session }: SpawnedSession) => ({
  session: toSession(session),
  reused: reused ?? false,
  ...field('wait', wait && toWaitResult(wait)),
});

export const toRevived = ({ missingEnv = [], resumed, wait, ...session }: RevivedSession) => ({
  session: toSession(session),
  missingEnv: [...missingEnv],
  ...field('resumed', resumed && { ...resumed, leftOut: [...resumed.leftOut] }),
  ...field('wait', wait && toWaitResult(wait)),
});

export const fromResumed = ({
  kind,
  conversation,
  leftOut,
  line,
}: ResumedMessage): ResumedAgent => ({
  kind,
  leftOut,
  ...defined({ conversation, line }),
});

/** The fields of a request to revive a session, next to its name. */
export const toReviveFields = (request: ReviveRequest) => {
  const { program, args = [], env = {}, environment, inputId, cwd, wait } = request;
  return {
    now: request.now ?? false,
    ...field('forkAs', request.forkAs),
    ...field('conversation', request.conversation),
    ...field('workingDir', cwd),
    ...field('wait', wait && toConditions(wait)),
    ...field('program', program),
    args: [...args],
    env: { ...env },
    environment: enumOf('EnvironmentMode', environment),
    ...field('caller', toCaller(request)),
    ...field('inputId', inputId),
  };
};

/**
 * A `command` of one word is a program. One with more words is a line for the shell; the coordinator
 * runs the default shell when no program is named.
 */
function programOf(message: SpawnMessage): Pick<SpawnRequest, 'program' | 'args'> {
  const { program, args } = message;
  if (program !== undefined) return { program, args };
  const command = message.command.trim();
  if (command === '') return { args };
  return /\s/.test(command) ? { args: ['-c', command] } : { program: command, args };
}
