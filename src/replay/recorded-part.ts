import { decodeUtf8 } from '#base';
import type { Recording } from '#recording';
import type { Reader, Terminal } from '#vt';
import { Replay, type TimeRange } from './replay.ts';

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
