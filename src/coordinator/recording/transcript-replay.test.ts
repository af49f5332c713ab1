import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentNow, RecordingMemory, RecordingRing, SessionRecorder } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Turns } from './earlier-state.ts';
import { transcriptOf } from './transcript-replay.ts';

const limits = { sessionBytes: 8_000_000, totalBytes: 8_000_000, segmentBytes: 256 * 1024 };
const size = { cols: 40, rows: 12 };
const facts = {
  scrollback: { maxLines: 1_000, maxBytes: 1024 * 1024 },
  allowClipboard: false,
  graphemeClusters: true,
};
const alternate = '\x1b[?1049h\x1b[H';
const erase = '\x1b[2J\x1b[H';

const line = (number: number): string => `line ${number} of the answer`;
const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => line(from + at));

/** Returns the transcript of a program that prints each chunk in one write, with pauses in ms between them. */
async function transcriptAfter(chunks: readonly string[], pauseMs = 0) {
  const watched = new WatchedTerminal(size);
  const clock = new VirtualClock();
  const recorder = new SessionRecorder(watched, clock);
  const ring = new RecordingRing(watched, clock, new RecordingMemory(limits), 'start');
  recorder.add(ring);
  for (const chunk of chunks) {
    watched.output(chunk);
    clock.advance(pauseMs);
  }
  const moment = momentNow(ring);
  if (moment === null) throw new Error('nothing is recorded');
  const transcript = await transcriptOf(facts, moment, new Turns());
  return transcript.rows();
}

/** Returns the rows with text. */
const textsAfter = async (chunks: readonly string[], pauseMs = 0): Promise<string[]> =>
  (await transcriptAfter(chunks, pauseMs)).map(({ text }) => text).filter((text) => text !== '');

/** Cuts a text into pieces of at most so many characters. */
function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, next = 0; at < text.length; next++) {
    const count = sizes[next % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + count));
    at += count;
  }
  return pieces;
}

describe('the transcript of a burst', () => {
  it('has all rows that scroll away within one write', async () => {
    const burst = lines(0, 200).join('\r\n');
    expect(await textsAfter([alternate + burst])).toEqual(lines(0, 200));
  });

  it('has the same rows in whatever pieces the output is read', async () => {
    const text = alternate + lines(0, 60).join('\r\n');
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 4, 20),
      async (sizes, pauseMs) => {
        expect(await textsAfter(cut(text, sizes), pauseMs)).toEqual(lines(0, 60));
      },
    );
    await fc.assert(property, runs(40));
  });

  it.each([
    ['line ends in a region', (text: string) => `\x1b[9;1H\r\n${text}`],
    ['SU', (text: string) => `\x1b[S\x1b[9;1H${text}`],
    ['DL in the first row', (text: string) => `\x1b[1;1H\x1b[M\x1b[9;1H${text}`],
  ])('has all rows that scroll away over a footer, by %s', async (_, scroll) => {
    const region = '\x1b[1;9r';
    const footer = '\x1b[10;1H──────────\x1b[11;1H> ask\x1b[12;1H  footer';
    const first = lines(0, 9).map((text, row) => `\x1b[${row + 1};1H${text}`);
    const begin = `${alternate}${footer}${region}${first.join('')}`;
    const burst = lines(9, 90).map(scroll).join('');
    expect(await textsAfter([begin, burst], 20)).toEqual(lines(0, 90));
  });

  it('has the rows of long lines, which wrap', async () => {
    const text = Array.from({ length: 40 }, (_, at) => `word${at}`.padEnd(size.cols, '.')).join('');
    const rows = await textsAfter([alternate + text]);
    expect(rows.map((row) => row.replace(/\.+$/, ''))).toEqual(
      Array.from({ length: 40 }, (_, at) => `word${at}`),
    );
  });

  it('has each page that is erased within one write, and says that rows may be missing', async () => {
    const page = (number: number) => lines(100 * number, 100 * number + 8);
    const pages = [1, 2, 3, 4].map(page);
    const burst = pages.map((rows) => `${erase}${rows.join('\r\n')}`).join('');
    const rows = await transcriptAfter([alternate + burst]);
    expect(rows.map(({ text }) => text)).toEqual(pages.flat());
    expect(rows.flatMap(({ text, isUncertain }) => (isUncertain ? [text] : []))).toEqual(
      [200, 300, 400].map(line),
    );
  });

  it('has no row twice if the same screen is erased and drawn again and again', async () => {
    const burst = Array.from({ length: 50 }, () => `${erase}\x1b[J${lines(0, 8).join('\r\n')}`);
    expect(await textsAfter([alternate + burst.join('')])).toEqual(lines(0, 8));
  });

  it('looks rarely at a screen that is erased again and again', async () => {
    const burst = `${erase}x`.repeat(10_000);
    expect(await textsAfter([alternate + burst])).toEqual(['x']);
  });

  it('has the rows after a mark only', async () => {
    const before = alternate + lines(0, 30).join('\r\n');
    const rows = await transcriptAfter([before, `\r\n${lines(30, 70).join('\r\n')}`], 20);
    const end = new TextEncoder().encode(before).length;
    expect(rows.filter(({ offset }) => offset > end).map(({ text }) => text)).toEqual(
      lines(30, 70),
    );
  });
});
