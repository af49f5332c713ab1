import { constants } from 'node:os';
import { encodeUtf8, Utf8Decoder } from '#base';
import type { ExitStatus } from '#model';
import { maxKeyLines, type RecordedEvent } from '#recording';
import { replayScrollback } from '#replay';
import { EarlierTerminal, type TerminalFacts } from '#session';
import { labelOf, type Moment, type PlacedChange, type Segment } from '#watch';

/** Clears everything, so that a dump can follow. */
const reset = '\x1bc\x1b[3J';
const frameEnd = '\x1b[?2026l';
/** As `Replay` and `vtr play` have it. */
const playerTerminal: TerminalFacts = {
  scrollback: replayScrollback,
  allowClipboard: false,
  graphemeClusters: true,
};

/** As shells report it. */
const signalStatus = 128;

/**
 * Yields the events of a recording. The first is a dump of the screen. A player has fewer lines above the
 * screen than the session had, so that it may show something else after a resize: then a dump follows.
 */
export function* castEvents({ segments, segment: last, ...end }: Moment): Generator<RecordedEvent> {
  const [first] = segments;
  if (first === undefined) return;
  const decoder = new Utf8Decoder();
  const hasResize = segments.some(({ begin }) => begin.cause === 'resize');
  let player = hasResize ? new EarlierTerminal(playerTerminal, first.begin) : null;
  let atMs = 0;
  const timeOf = (monotonicMs: number): number => {
    atMs = Math.max(atMs, monotonicMs - first.begin.atMs);
    return atMs;
  };
  yield { atMs, type: 'output', text: decoder.push(first.begin.dump), before: drawnBefore(first) };
  for (const segment of segments) {
    const { begin } = segment;
    if (segment !== first && begin.cause === 'resize') {
      const { size, erasedFrom } = begin;
      const at = timeOf(begin.atMs);
      if (erasedFrom !== undefined && player !== null) {
        const text = player.terminal.eraseOutput(erasedFrom);
        player.feed(encodeUtf8(text));
        yield { atMs: at, type: 'output', text };
      }
      yield { atMs: at, type: 'resize', size };
      player?.resize(size);
    }
    if (segment !== first && needsDump(segment, player)) {
      // A character that is incomplete is lost; the dump has its beginning.
      const text = decoder.end() + reset + decoder.push(begin.dump);
      yield { atMs: timeOf(begin.atMs), type: 'output', text, before: drawnBefore(segment) };
      player = player && new EarlierTerminal(playerTerminal, begin);
    }
    for (const step of segment.steps(segment === last ? end : segment.end)) {
      const at = timeOf(step.atMs);
      if (step.type === 'output') {
        player?.feed(step.bytes);
        const text = decoder.push(step.bytes);
        if (text !== '') yield { atMs: at, type: 'output', text };
      } else {
        if (step.type === 'frameEnd') player?.endFrame();
        yield { atMs: at, ...eventOf(step) };
      }
    }
  }
}

/** A terminal of which {@link textBefore} is known. */
export type TerminalAtCursor = Pick<
  EarlierTerminal['terminal'],
  'firstLine' | 'linePosition' | 'readLines'
>;

/** Returns the lines up to the cursor: a secret may begin there that later output continues. */
export function textBefore(terminal: TerminalAtCursor): string {
  const { line, before } = terminal.linePosition();
  const from = Math.max(terminal.firstLine, line - maxKeyLines);
  const above = Array.from(terminal.readLines(from, line), ({ reader }) => reader.spaced());
  return [...above, before].join('\n');
}

/** {@link textBefore} of the screen in which a segment begins. */
export const drawnBefore = ({ begin }: Segment): string =>
  textBefore(new EarlierTerminal(playerTerminal, begin).terminal);

function needsDump({ begin }: Segment, player: EarlierTerminal | null): boolean {
  if (begin.cause === 'redraw') return true;
  if (begin.cause !== 'resize' || player === null) return false;
  return !player.showsSame(new EarlierTerminal(playerTerminal, begin));
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs'> : never;

/** Returns what a change is in a recording. */
export function eventOf(change: PlacedChange): WithoutTime<RecordedEvent> {
  switch (change.type) {
    case 'marker':
    case 'commandBegin':
      return { type: 'marker', label: labelOf(change) ?? '' };
    case 'commandEnd': {
      const { command: cmd, exitCode: exit, durationMs } = change;
      return { type: 'note', note: { cmd, exit, ms: Math.round(durationMs) } };
    }
    case 'frameEnd':
      return { type: 'output', text: frameEnd };
    case 'exit':
      return { type: 'exit', status: statusOf(change.status) };
  }
}

function statusOf({ code, signal }: ExitStatus): number {
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return code ?? signalStatus + (numbers[signal ?? ''] ?? 0);
}
