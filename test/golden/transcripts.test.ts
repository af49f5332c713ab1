import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { parseCast } from '#recording';
import {
  momentNow,
  RecordingMemory,
  RecordingRing,
  SessionRecorder,
  type Transcript,
} from '#watch';
import { Turns } from '../../src/coordinator/recording/earlier-state.ts';
import { transcriptOf } from '../../src/coordinator/recording/transcript-replay.ts';
import { WatchedTerminal } from '../support/session/watched-terminal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const directory = join(import.meta.dirname, 'transcripts');
const limits = { sessionBytes: 8_000_000, totalBytes: 8_000_000, segmentBytes: 256 * 1024 };
const facts = {
  scrollback: { maxLines: 1_000, maxBytes: 1024 * 1024 },
  allowClipboard: false,
  graphemeClusters: true,
};

/** A walk of a real agent whose scripted model answered with lines that are in no other place. */
interface Walk {
  readonly name: string;
  /** The lines of its answers that are missing, most because no screen showed them whole: it scrolled before it drew. */
  readonly missing: number;
  /** Lines that are there twice. Absent: 0. */
  readonly doubled?: number;
  /** Rows that are the beginning of a line: the next screen that was drawn had scrolled further. */
  readonly incomplete: number;
  readonly uncertain: number;
}

const walks: readonly Walk[] = [
  // On a machine so slow that Codex drew only every second screen.
  { name: 'codex-starved', missing: 37, incomplete: 1, uncertain: 6 },
  // 80 columns and 24 rows; 27 lines were on no screen.
  { name: 'codex-narrow', missing: 28, doubled: 1, incomplete: 2, uncertain: 5 },
  // Its code has numbers, which are equal in each block; 33 lines were on no screen.
  { name: 'qwen', missing: 33, incomplete: 0, uncertain: 4 },
  { name: 'claude', missing: 0, incomplete: 0, uncertain: 1 },
  { name: 'claude-tool', missing: 0, incomplete: 0, uncertain: 0 },
  // 140 columns: the conversation, and a side bar that stands.
  { name: 'opencode-side-bar', missing: 1, incomplete: 1, uncertain: 1 },
  { name: 'opencode', missing: 3, incomplete: 3, uncertain: 2 },
];

/** Returns the transcript of a walk, as a coordinator that records it in memory. */
async function transcriptIn(name: string): Promise<Transcript> {
  const { header, events } = parseCast(
    gunzipSync(readFileSync(join(directory, `${name}.cast.gz`))),
  );
  const watched = new WatchedTerminal(header.size);
  const clock = new VirtualClock();
  const recorder = new SessionRecorder(watched, clock);
  const ring = new RecordingRing(watched, clock, new RecordingMemory(limits), 'start');
  recorder.add(ring);
  let atMs = 0;
  for (const event of events) {
    clock.advance(Math.max(0, event.atMs - atMs));
    atMs = event.atMs;
    if (event.type === 'output') watched.outputByFrames(encodeUtf8(event.text));
    if (event.type === 'resize') watched.resize(event.size);
  }
  const moment = momentNow(ring);
  if (moment === null) throw new Error('nothing is recorded');
  return transcriptOf(facts, moment, new Turns());
}

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
/** The word by which a line of an answer is known. */
const isName = (word: string): boolean => /^[kt]\d+x\d+$/.test(word);

/** Where the lines are in a text in which they may be wrapped. */
function placesOf(lines: readonly string[], words: readonly string[]) {
  return lines.map((line) => {
    const own = wordsOf(line);
    const name = own.findIndex(isName);
    const named = words.flatMap((word, at) => (word === own[name] ? [at - name] : []));
    return {
      named,
      whole: named.filter((at) => own.every((word, next) => words[at + next] === word)),
    };
  });
}

describe('the transcript of an agent', () => {
  it.each(walks)(
    'has the lines of its answers once and in order: $name',
    async ({ name, ...law }) => {
      const lines = readFileSync(join(directory, `${name}.txt`), 'utf8')
        .trimEnd()
        .split('\n');
      const transcript = await transcriptIn(name);
      const rows = transcript.rows();
      const words = rows.flatMap(({ text }) => wordsOf(text));
      const places = placesOf(lines, words);
      const starts = places.flatMap(({ whole }) => whole.slice(0, 1));
      expect({
        missing: lines.length - starts.length,
        doubled: places.filter(({ whole }) => whole.length > 1).length,
        incomplete: places.filter(({ named, whole }) => named.length > whole.length).length,
        uncertain: rows.filter(({ isUncertain }) => isUncertain).length,
      }).toEqual({ doubled: 0, ...law });
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    },
  );
});
