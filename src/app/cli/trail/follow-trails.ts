import { watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type AuditEntry, filterOf, TrailReader, trailFiles } from '#audit';
import { defined, ignored } from '#base';
import { auditDirectory } from '#config';
import { asVtrError, isAddress } from '#model';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { linesThere } from '../coordinators/verb-there.ts';
import { jsonLine } from '../output/printing.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { byTime, entryLine, type PlacedEntry } from './entry-table.ts';
import { noTrail, queryWords, readAt, type TrailPlaces, type TrailQuery } from './places.ts';

/** How many older entries are printed if no flag says, as tail does. */
const followedLines = 10;
/** The time between two looks for a trail here, and between two connections to an address, in ms. */
const lookMs = 1_000;
const farPauseMs = 5_000;

/** A trail that is followed. */
interface Followed {
  /** The entries that there are. @throws VtrError IO_ERROR, UNAVAILABLE */
  read(): Promise<readonly AuditEntry[]>;
  /** Hands over each entry after those, until `signal` is aborted. Never fails. */
  follow(onEntry: (entry: AuditEntry) => void, signal: AbortSignal): Promise<void>;
}

/**
 * Prints the newest entries of trails, by time, and then each new entry, until a signal.
 *
 * @returns the exit status of the signal
 * @throws VtrError if the only trail cannot be read
 */
export async function followTrails(
  context: Context,
  { places, areSeveral }: TrailPlaces,
  query: TrailQuery,
  isJson: boolean,
): Promise<number> {
  const { last = query.sinceMs === undefined ? followedLines : undefined } = query;
  const wish: TrailQuery = { ...query, ...defined({ last }) };
  const stop = new StopSignals();
  const abort = new AbortController();
  const stopped = stop.received.finally(() => abort.abort());
  const print = (entry: PlacedEntry) =>
    context.out(`${isJson ? jsonLine(entry) : entryLine(entry, areSeveral)}\n`);
  const placed = (place: KnownCoordinator, entry: AuditEntry): PlacedEntry =>
    areSeveral ? { ...entry, coordinator: place.name } : entry;
  try {
    const trails = places.map((place) => ({
      place,
      trail: isAddress(place.socket)
        ? trailThere(context, place, wish, !areSeveral)
        : trailHere(context, place, wish, areSeveral),
    }));
    const reading = trails.map(async ({ place, trail }) => {
      try {
        return (await trail.read()).map((entry) => placed(place, entry));
      } catch (error) {
        if (!areSeveral) throw error;
        context.say(`skipped: ${asVtrError(error).message}`);
        return [];
      }
    });
    const entries = (await Promise.all(reading)).flat();
    if (areSeveral) entries.sort(byTime);
    for (const entry of entries.slice(-(last ?? entries.length))) print(entry);
    const following = trails.map(({ place, trail }) =>
      trail.follow((entry) => print(placed(place, entry)), abort.signal),
    );
    const signal = await stopped;
    await Promise.all(following);
    return signalStatus(signal);
  } finally {
    abort.abort();
    stop.dispose();
  }
}

/** @param mayBeMissing whether it may be written for the first time later */
function trailHere(
  context: Context,
  { socket }: KnownCoordinator,
  query: TrailQuery,
  mayBeMissing: boolean,
): Followed {
  const directory = auditDirectory(context, socket);
  const reader = new TrailReader(directory);
  const isWanted = filterOf(query, new TrailReader(directory).next());
  const news = () => [...reader.next()].filter(isWanted);
  return {
    async read() {
      if (!mayBeMissing && trailFiles(directory).length === 0) throw noTrail(directory, 'follow');
      return news().slice(-(query.last ?? Number.POSITIVE_INFINITY));
    },
    async follow(onEntry, signal) {
      const look = () => news().forEach(onEntry);
      while (!signal.aborted) {
        try {
          watch(directory, { signal }, look);
          break;
        } catch {
          await ignored(pause(lookMs, undefined, { signal }), 'an abort ends the pause');
        }
      }
      // What was written before it was watched.
      look();
    },
  };
}

/** How much earlier than the newest entry an entry may have begun that is written after it, in ms. */
const lateMs = 10 * 60_000;

function trailThere(
  context: Context,
  place: KnownCoordinator,
  query: TrailQuery,
  mayPrompt: boolean,
): Followed {
  const { socket } = place;
  let newest: AuditEntry | null = null;
  const isNew = ({ seq = Number.POSITIVE_INFINITY }: AuditEntry) => seq > (newest?.seq ?? 0);
  /** All that was not handed over: times are those of the clock there. */
  const rest = (): TrailQuery => {
    const { session } = query;
    const sinceMs = newest === null ? 0 : Math.max(0, Date.parse(newest.time) - lateMs);
    return { sinceMs, ...defined({ session }) };
  };
  return {
    async read() {
      try {
        const { entries } = await readAt(context, place, query, mayPrompt);
        newest = entries.at(-1) ?? null;
        return entries;
      } catch (error) {
        // It may get entries of the session later.
        if (asVtrError(error).code === 'SESSION_NOT_FOUND') return [];
        throw error;
      }
    },
    async follow(onEntry, signal) {
      let message = '';
      const onLine = (line: string) => {
        const entry = JSON.parse(line) as AuditEntry;
        if (!isNew(entry)) return;
        newest = entry;
        message = '';
        onEntry(entry);
      };
      while (!signal.aborted) {
        const words = ['log', '--follow', '--json', ...queryWords(rest())];
        try {
          await linesThere(context, socket, words, { signal, mayPrompt, onLine });
        } catch (error) {
          const before = message;
          ({ message } = asVtrError(error));
          if (message !== before) context.say(`${message}; trying again`);
        }
        await ignored(pause(farPauseMs, undefined, { signal }), 'an abort ends the pause');
      }
    },
  };
}
