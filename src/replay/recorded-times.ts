import { nearMisses, parseDurationMs } from '#base';
import { VtrError } from '#model';
import type { Replay, TimeRange } from './replay.ts';

const markerPrefix = 'marker:';
const example = 'use seconds such as 12.5, a duration such as 1m30s, or marker:NAME';

type Times = Pick<Replay, 'durationMs' | 'markers'>;

/**
 * Returns a time of a recording that a person wrote, in ms since its beginning: `12.5`, `1m30s`,
 * `marker:NAME`. If several markers have the name: the first at or after `afterMs`, or else the first.
 *
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED
 */
export function recordedTime(recording: Times, text: string, afterMs = 0): number {
  if (text.startsWith(markerPrefix)) {
    return markerTime(recording, text.slice(markerPrefix.length), afterMs);
  }
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDurationMs(text);
  if (ms === null) {
    throw new VtrError('INVALID_ARGUMENT', `${JSON.stringify(text)} is not a time; ${example}`);
  }
  if (ms <= recording.durationMs) return ms;
  const seconds = (recording.durationMs / 1000).toFixed(3);
  throw new VtrError('NOT_RECORDED', `${text} is after the end of the recording, at ${seconds} s`);
}

/**
 * Returns a part of a recording that a person wrote: `FROM..TO`; either may be missing.
 *
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED
 */
export function recordedRange(recording: Times, text: string): Required<TimeRange> {
  const problems: unknown[] = [];
  // The name of a marker may contain dots.
  for (let at = text.indexOf('..'); at >= 0; at = text.indexOf('..', at + 1)) {
    try {
      return rangeOf(recording, text.slice(0, at), text.slice(at + 2));
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw problems[0];
  const message = `${JSON.stringify(text)} is not FROM..TO; ${example}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

function rangeOf(recording: Times, from: string, to: string): Required<TimeRange> {
  const fromMs = from === '' ? 0 : recordedTime(recording, from);
  const toMs = to === '' ? recording.durationMs : recordedTime(recording, to, fromMs);
  if (fromMs <= toMs) return { fromMs, toMs };
  throw new VtrError('INVALID_ARGUMENT', `${from} is after ${to}`);
}

function markerTime({ markers }: Times, name: string, afterMs: number): number {
  const named = markers.filter(({ label }) => label === name);
  const found = named.find(({ atMs }) => atMs >= afterMs) ?? named[0];
  if (found !== undefined) return found.atMs;
  throw new VtrError(
    'NOT_RECORDED',
    `the recording has no marker ${JSON.stringify(name)}; ${known(markers, name)}`,
  );
}

const listedMarkers = 10;

function known(markers: Times['markers'], name: string): string {
  const labels = [...new Set(markers.map(({ label }) => label))];
  if (labels.length === 0) return 'it has none';
  const near = nearMisses(name, labels);
  const listed = (near.length > 0 ? near : labels).slice(0, listedMarkers);
  const names = listed.map((label) => JSON.stringify(label)).join(', ');
  return near.length > 0
    ? `did you mean ${names}?`
    : `it has ${names}${labels.length > listed.length ? ', …' : ''}`;
}
