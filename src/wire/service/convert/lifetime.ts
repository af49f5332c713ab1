import type { MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type {
  EndedBy as EndedByMessage,
  EndedBySchema,
  SessionLifetime as LifetimeMessage,
  SessionLimits as LimitsMessage,
  SessionLifetimeSchema,
  SessionLimitsSchema,
} from '#messages';
import {
  checkLabels,
  type EndedBy,
  type LabelChanges,
  type SessionLabels,
  type SessionLifetime,
  type SessionLimits,
} from '#model';
import {
  enumOf,
  field,
  msField,
  numberField,
  toLongDuration,
  wholeField,
  wordOf,
} from './field.ts';

/** The fields that a session and a request to spawn one share. */
interface Ends {
  readonly lifetime?: SessionLifetime;
  readonly limits?: SessionLimits;
}

interface EndsMessage {
  readonly lifetime?: LifetimeMessage | undefined;
  readonly limits?: LimitsMessage | undefined;
}

export const toEnds = ({ lifetime, limits }: Ends) => ({
  ...field('lifetime', lifetime && toLifetime(lifetime)),
  ...field('limits', limits && toLimits(limits)),
});

export const fromEnds = ({ lifetime, limits }: EndsMessage): Ends => ({
  ...field('lifetime', lifetime && fromLifetime(lifetime)),
  ...field('limits', limits && fromLimits(limits)),
});

function toLifetime({
  idleMs,
  keepExitedMs,
  maxRunMs,
  unattendedMs,
}: SessionLifetime): MessageInitShape<typeof SessionLifetimeSchema> {
  return {
    ...field('idle', idleMs === undefined ? idleMs : toLongDuration(idleMs)),
    ...field(
      'keepExited',
      keepExitedMs === undefined ? keepExitedMs : toLongDuration(keepExitedMs),
    ),
    ...field('maxRun', maxRunMs === undefined ? maxRunMs : toLongDuration(maxRunMs)),
    ...field(
      'unattended',
      unattendedMs === undefined ? unattendedMs : toLongDuration(unattendedMs),
    ),
  };
}

const fromLifetime = ({
  idle,
  keepExited,
  maxRun,
  unattended,
}: LifetimeMessage): SessionLifetime => ({
  ...msField('idleMs', idle),
  ...msField('keepExitedMs', keepExited),
  ...msField('maxRunMs', maxRun),
  ...msField('unattendedMs', unattended),
});

const toLimits = ({
  memoryBytes,
  cpuPercent,
}: SessionLimits): MessageInitShape<typeof SessionLimitsSchema> => ({
  ...wholeField('memoryBytes', memoryBytes),
  ...field('cpuPercent', cpuPercent),
});

const fromLimits = ({ memoryBytes, cpuPercent }: LimitsMessage): SessionLimits => ({
  ...numberField('memoryBytes', memoryBytes),
  ...field('cpuPercent', cpuPercent),
});

export const toEndedBy = ({
  reason,
  limit,
  measured,
}: EndedBy): MessageInitShape<typeof EndedBySchema> => ({
  reason: enumOf('EndReason', reason),
  ...defined({ limit, measured }),
});

/** Undefined when absent, and for a reason of a later version. */
export function fromEndedBy(message: EndedByMessage | undefined): EndedBy | undefined {
  const reason = message && wordOf('EndReason', message.reason);
  if (reason === undefined) return undefined;
  return { reason, ...field('limit', message?.limit), ...field('measured', message?.measured) };
}

/** The fields of a request that changes labels. */
export interface LabelFields {
  readonly set: SessionLabels;
  readonly remove: readonly string[];
}

/** @throws VtrError INVALID_ARGUMENT */
export function toLabelFields(changes: LabelChanges): { set: SessionLabels; remove: string[] } {
  const set: [string, string][] = [];
  const remove: string[] = [];
  for (const [key, value] of Object.entries(checkLabels(changes))) {
    if (value === null) remove.push(key);
    else set.push([key, value]);
  }
  return { set: Object.fromEntries(set), remove };
}

/** A key in both fields is removed. */
export const fromLabelFields = ({ set, remove }: LabelFields): LabelChanges => ({
  ...set,
  ...Object.fromEntries(remove.map((key) => [key, null])),
});

/** Returns the field of a message from the wire; an empty map of proto3 becomes absent. */
export const labelsField = (labels: SessionLabels): { labels?: SessionLabels } =>
  Object.keys(labels).length === 0 ? {} : { labels: { ...labels } };
