import { nearMisses, quoted } from '#base';
import { type ParsedTimeRef, type RecordBegin, VtrError } from '#model';
import type { RecordingRing } from './recording-ring.ts';
import { labelOf, type Segment, type SegmentEnd } from './segment.ts';

/** A moment of a recording. The segments are those known then, oldest first; the last one is its own. */
export interface Moment extends SegmentEnd {
  readonly segments: readonly Segment[];
  /** When its state came about, in ms since 1970. */
  readonly atWallMs: number;
}

/** How many names a message lists. */
const namesShown = 5;

/** The present end of a recording; null if nothing is recorded. */
export function momentNow({ segments }: RecordingRing): Moment | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  const { atMs, ...end } = last.before(Number.POSITIVE_INFINITY);
  const changes = last.changes.length;
  return { ...end, segments: keepAll(segments), changes, atWallMs: wallMs(last, atMs) };
}

/**
 * Returns the moment of a time in the past. The number of a command must be known.
 *
 * @throws VtrError NOT_RECORDED
 */
export function momentAt(
  ring: RecordingRing,
  ref: Exclude<ParsedTimeRef, { readonly command: 'last' }>,
): Moment {
  switch (ref.type) {
    case 'time':
      return atTime(ring, ref.atMs);
    case 'marker':
      return atMarker(ring, ref.label);
    case 'command':
      return atCommand(ring, Number(ref.command));
  }
}

/** When a recording begins, in ms since 1970; null if nothing is recorded. */
export const sinceMs = ({ segments }: RecordingRing): number | null =>
  segments[0]?.begin.wallMs ?? null;

function atTime(ring: RecordingRing, wall: number): Moment {
  const { segments } = ring;
  const index = segments.findLastIndex(({ begin }) => begin.wallMs <= wall);
  const segment = segments[index];
  if (segment === undefined) throw notRecorded(ring, `${timeText(wall)} is not recorded`);
  const { begin } = segment;
  const { atMs, ...end } = segment.before(begin.atMs + (wall - begin.wallMs));
  const moment = keepAll(segments.slice(0, index + 1));
  return { ...end, segments: moment, atWallMs: wallMs(segment, atMs) };
}

function atMarker(ring: RecordingRing, label: string): Moment {
  const moment = atLastChange(ring, (change) => labelOf(change) === label);
  if (moment !== null) return moment;
  const labels = ring.segments.flatMap(({ changes }) =>
    changes.flatMap((each) => labelOf(each) ?? []),
  );
  const names = [...new Set(labels)].reverse();
  const near = nearMisses(label, names);
  const hint =
    near.length > 0
      ? `; did you mean ${near.join(' or ')}?`
      : names.length > 0
        ? `; there are ${names.slice(0, namesShown).join(', ')}`
        : '';
  throw notRecorded(ring, `no marker ${quoted(label)} is recorded${hint}`);
}

function atCommand(ring: RecordingRing, command: number): Moment {
  const isEnd = (change: Segment['changes'][number]) =>
    change.type === 'commandEnd' && change.command === command;
  const moment = atLastChange(ring, isEnd);
  if (moment !== null) return moment;
  throw notRecorded(ring, `the end of command ${command} is not recorded`);
}

/** The moment before the last change that `matches`; null if there is none. */
function atLastChange(
  { segments }: RecordingRing,
  matches: (change: Segment['changes'][number]) => boolean,
): Moment | null {
  for (let index = segments.length - 1; index >= 0; index--) {
    const segment = segments[index] as Segment;
    const changeIndex = segment.changes.findLastIndex(matches);
    const change = segment.changes[changeIndex];
    if (change === undefined) continue;
    const moment = keepAll(segments.slice(0, index + 1));
    const { offset, atMs } = change;
    return {
      segments: moment,
      segment,
      offset,
      changes: changeIndex,
      atWallMs: wallMs(segment, atMs),
    };
  }
  return null;
}

/** A reader may still need them when they have been dropped. */
function keepAll(segments: readonly Segment[]): readonly Segment[] {
  for (const segment of segments) segment.isKept = true;
  return segments;
}

const wallMs = ({ begin }: Segment, atMs: number): number =>
  Math.round(begin.wallMs + (atMs - begin.atMs));

const reasons: Readonly<Record<RecordBegin, string>> = {
  start: 'it began then',
  restart: 'its coordinator was restarted then',
  limit: 'older output was dropped',
};

function notRecorded(ring: RecordingRing, problem: string): VtrError {
  const since = sinceMs(ring);
  if (since === null) return new VtrError('NOT_RECORDED', `${problem}; nothing is`);
  const reason = `the session is known from ${timeText(since)} on: ${reasons[ring.begins]}`;
  const details = { sinceMs: since, begins: ring.begins };
  return new VtrError('NOT_RECORDED', `${problem}; ${reason}`, { details });
}

const timeText = (ms: number): string => new Date(ms).toISOString();
