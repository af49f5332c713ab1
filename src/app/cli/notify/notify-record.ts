import { join } from 'node:path';
import { durationText } from '#base';
import { overwriteInDirectory, readOwnFile, stateHome } from '#config';
import type { Told } from '#notify';
import type { Context } from '../context.ts';

/** What `vtr notify` did last: of several that run, the one that wrote last. */
export interface NotifyRecord {
  /** The process; null when it has ended. */
  readonly pid: number | null;
  /** When it began, in ms since 1970. */
  readonly sinceMs: number;
  /** The names of the coordinators whose sessions it has listed and follows. */
  readonly follows: readonly string[];
  /** How many notifications were delivered since. */
  readonly delivered: number;
  /** When the last one was delivered, in ms since 1970; null if none was. */
  readonly toldMs: number | null;
  /** The last one that could not be delivered as it should be; null if all were. */
  readonly failure: { readonly atMs: number; readonly message: string } | null;
  /** How it notifies, such as `the desktop`; null in the record of an older version. */
  readonly by: string | null;
  /** Whether what delivers them reports that they have arrived. */
  readonly isConfirmed: boolean;
  /** How many were given up since it began. */
  readonly lost: number;
  /** How many wait for another attempt. */
  readonly waiting: number;
  /** By the id of the session, for the next one that runs; null in the record of an older version. */
  readonly bySession: ReadonlyMap<string, Told> | null;
}

const fileOf = (context: Context): string => join(stateHome(context), 'notify.json');

/** Writes the record. A failure to do so is ignored: the notifications matter more. */
export function writeNotifyRecord(context: Context, record: NotifyRecord): void {
  try {
    const { bySession, delivered, ...others } = record;
    const sessions = bySession && Object.fromEntries(bySession);
    const written = { ...others, told: delivered, known: sessions };
    overwriteInDirectory(fileOf(context), `${JSON.stringify(written)}\n`);
  } catch {
    // The disk is full, or the directory is read-only.
  }
}

/** Returns the record; null if there is none, or it cannot be read. */
export function readNotifyRecord(context: Context): NotifyRecord | null {
  try {
    const read = JSON.parse(readOwnFile(fileOf(context)));
    const { pid, sinceMs, told, toldMs, failure, by, isConfirmed, known } = read;
    if (typeof sinceMs !== 'number' || typeof told !== 'number') return null;
    const isFailure = typeof failure?.atMs === 'number' && typeof failure.message === 'string';
    return {
      pid: typeof pid === 'number' && isRunning(pid) ? pid : null,
      sinceMs,
      follows: namesOf(read.follows),
      delivered: told,
      toldMs: typeof toldMs === 'number' ? toldMs : null,
      failure: isFailure ? failure : null,
      by: typeof by === 'string' ? by : null,
      isConfirmed: isConfirmed === true,
      lost: numberOf(read.lost),
      waiting: numberOf(read.waiting),
      bySession: knownOf(known),
    };
  } catch {
    return null;
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];

function knownOf(json: unknown): ReadonlyMap<string, Told> | null {
  if (typeof json !== 'object' || json === null) return null;
  const entries = Object.entries(json as Readonly<Record<string, Partial<Told> | null>>);
  return new Map(
    entries.flatMap(([id, status]) =>
      typeof status?.key === 'string'
        ? [[id, { key: status.key, atMs: numberOf(status.atMs) }]]
        : [],
    ),
  );
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the last failure, if nothing was delivered since: `5m ago: notify-send: no server`; null if there is none. */
export function notifyFailure({ failure, toldMs }: NotifyRecord, nowMs: number): string | null {
  if (failure === null || (toldMs !== null && toldMs > failure.atMs)) return null;
  return `${durationText(Math.max(0, nowMs - failure.atMs))} ago: ${failure.message}`;
}
