import { decodeUtf8, nearMisses, parseDurationMs, quoted } from '#base';
import { VtrError } from '#model';
import type { Recording } from '#recording';
import type { Reader, Terminal } from '#vt';
import { Replay, type TimeRange } from './replay.ts';

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
    throw new VtrError('INVALID_ARGUMENT', `${quoted(text)} is not a time; ${example}`);
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
  const message = `${quoted(text)} is not FROM..TO; ${example}`;
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
  const marker = named.find(({ atMs }) => atMs >= afterMs) ?? named[0];
  if (marker !== undefined) return marker.atMs;
  throw new VtrError(
    'NOT_RECORDED',
    `the recording has no marker ${quoted(name)}; ${listOfMarkers(markers, name)}`,
  );
}

const listedMarkers = 10;

function listOfMarkers(markers: Times['markers'], name: string): string {
  const labels = [...new Set(markers.map(({ label }) => label))];
  if (labels.length === 0) return 'it has none';
  const near = nearMisses(name, labels);
  const listed = (near.length > 0 ? near : labels).slice(0, listedMarkers);
  const names = listed.map((label) => quoted(label)).join(', ');
  return near.length > 0
    ? `did you mean ${names}?`
    : `it has ${names}${labels.length > listed.length ? ', …' : ''}`;
}

/**
 * Returns a part of a recording as a recording of its own, with the events at both times. One that
 * begins later begins with output that draws the screen as it was before; the lines above it are left
 * out.
 */
export function cutRecording(
  recording: Recording,
  { fromMs, toMs }: Required<TimeRange>,
): Recording {
  const { events, header } = recording;
  if (fromMs <= 0) {
    return { ...recording, events: events.filter(({ atMs }) => atMs <= toMs) };
  }
  const terminal = new Replay(recording).before(fromMs);
  const text = decodeUtf8(terminal.snapshot({ scrollbackLines: 0 }).dump);
  const rest = events
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .map((event) => ({ ...event, atMs: event.atMs - fromMs }));
  const { startedAtMs } = header;
  return {
    ...recording,
    header: {
      ...header,
      size: terminal.size,
      ...(startedAtMs === undefined ? {} : { startedAtMs: startedAtMs + fromMs }),
    },
    events: [{ atMs: 0, type: 'output', text }, ...rest],
  };
}

/** All lines of the recording. */
const scrollback = { maxLines: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/**
 * Returns a terminal at the end of a part of a recording, and its lines, those in the scrollback
 * included; of a part that begins later, from the line in which output continues then. While the
 * alternate screen is shown, its rows follow.
 */
export function recordedLines(
  recording: Recording,
  { fromMs, toMs }: Required<TimeRange>,
): { readonly terminal: Terminal; readonly lines: Iterable<Reader> } {
  const replay = new Replay(recording, { scrollback });
  const from = fromMs > 0 ? replay.before(fromMs).linePosition().line : 0;
  const terminal = replay.at(toMs);
  return { terminal, lines: linesFrom(terminal, from) };
}

function* linesFrom(terminal: Terminal, from: number): Generator<Reader> {
  for (const { reader } of terminal.readLines(from, terminal.endLine)) yield reader;
  if (!terminal.alternate) return;
  const used = terminal.screenText().findLastIndex((row) => row !== '') + 1;
  for (let row = 0; row < used; row++) yield terminal.readRow(row);
}
