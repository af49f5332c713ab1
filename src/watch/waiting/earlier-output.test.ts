import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WaitRequest } from '#model';
import { markNow, searchLines, waitFor } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { MemoryArchive } from '../../../test/support/session/memory-archive.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

/** A clock by which each slice of a search is over at once. */
class SlicingClock extends VirtualClock {
  #reads = 0;

  override nowMs(): number {
    this.#reads += 1;
    return super.nowMs() + this.#reads * 2;
  }
}

/** A terminal of 20x4 that keeps `maxLines` lines above its screen, and archives the others. */
function archiving(maxLines: number, archive: MemoryArchive | null = new MemoryArchive()) {
  return new WatchedTerminal(undefined, undefined, 'one', maxLines, null, archive);
}

const lines = (count: number, text = (line: number) => `line ${line}`) =>
  Array.from({ length: count }, (_, line) => `${text(line)}\r\n`).join('');

/** Waits with slices, between which `between` is called. */
async function slicedWait(
  watched: WatchedTerminal,
  request: WaitRequest,
  between: (slice: number) => void = () => {},
) {
  const clock = new SlicingClock();
  let isDone = false;
  const waiting = waitFor(watched, { timeoutMs: 1e9, ...request }, clock);
  waiting.then(
    () => {
      isDone = true;
    },
    () => {},
  );
  let slices = 0;
  for (; !isDone && slices < 100_000; slices++) {
    between(slices);
    clock.settleIo();
    await new Promise(setImmediate);
    if (clock.pending <= 1) clock.advance(2e9);
  }
  return { ...(await waiting), slices };
}

describe('a wait for text since a mark, part of which has left the scrollback', () => {
  it('ends as if the scrollback had kept all', async () => {
    const word = fc.constantFrom('a', 'b', 'hit', 'no', '漢字', '\t', 'x'.repeat(30));
    const texts = fc.array(fc.array(word, { maxLength: 3 }), { maxLength: 60 });
    const patterns = fc.subarray(['^hit$', 'ab', '漢', 'nothing', '^$', 'no\\s+hit'], {
      minLength: 1,
    });
    const property = fc.asyncProperty(
      texts,
      texts,
      texts,
      patterns,
      patterns,
      fc.boolean(),
      async (before, after, later, match, stop, isLong) => {
        const many = isLong ? lines(3_000) : '';
        const text = (rows: readonly string[][]) =>
          rows.map((row) => `${row.join('')}\r\n`).join('');
        const results = [10_000, 2].map(async (maxLines) => {
          const watched = archiving(maxLines);
          watched.output(`${text(before)}partial `);
          const since = markNow(watched);
          watched.output(`${text(after)}${many}${text(later)}`);
          const {
            outcome,
            pattern,
            match: hit,
            lostLines,
            output,
          } = await slicedWait(watched, {
            since,
            match,
            stop,
            timeoutMs: 0,
          });
          return { outcome, pattern, found: hit, lostLines, output };
        });
        const [whole, archived] = await Promise.all(results);
        expect(archived).toEqual(whole);
      },
    );
    await fc.assert(property, runs(60));
  });

  it('searches in slices, and does not miss what is shown and erased meanwhile', async () => {
    const watched = archiving(10);
    watched.output(lines(50_000));
    const onSlice = (slice: number) => {
      if (slice === 1) watched.output('\x1b[?1049hflash');
      if (slice === 2) watched.output(`\x1b[2J\x1b[?1049l${lines(3_000)}`);
    };
    const result = await slicedWait(
      watched,
      { since: 'start', match: ['nothing', 'flash'] },
      onSlice,
    );
    expect(result).toMatchObject({ outcome: 'matched', match: { matched: 'flash' } });
    expect(result.slices).toBeGreaterThan(5);
  });

  it.each<[string, WaitRequest, string, (watched: WatchedTerminal) => void]>([
    ['a program that ends meanwhile', { match: ['^line 9$'] }, 'matched', (each) => each.exit()],
    [
      'a bell meanwhile',
      { match: ['^line 9$'], bell: true },
      'matched',
      (each) => each.output('\x07'),
    ],
    ['the exit, if nothing matches', { match: ['^nothing'] }, 'exited', (each) => each.exit()],
    ['a later stop', { match: ['^line 9$'], stop: ['^line 29999$'] }, 'stopped', () => {}],
    [
      'the bell, if nothing matches',
      { match: ['^nothing'], bell: true },
      'bell',
      (each) => each.output('\x07'),
    ],
    ['the deadline', { match: ['^line 29000$'], timeoutMs: 0 }, 'matched', () => {}],
  ])('is decided between the archive and %s', async (_what, request, outcome, act) => {
    const watched = archiving(10);
    watched.output(lines(30_000, (line) => `line ${line % 30_000}`));
    // The slices before the match are over in several turns.
    const result = await slicedWait(watched, { since: 'start', ...request }, (slice) => {
      if (slice === 0) act(watched);
    });
    expect(result.outcome).toBe(outcome);
  });

  /** Waits for 1 ms while output goes on faster than the search. */
  async function outcomeInFlood(match: readonly string[], shownInTime: readonly string[] = []) {
    const watched = archiving(10);
    watched.output(lines(5_000));
    const clock = new SlicingClock();
    let outcome = '';
    const waiting = waitFor(watched, { since: 'start', match, timeoutMs: 1 }, clock);
    void waiting.then((result) => {
      outcome = result.outcome;
    });
    for (const text of shownInTime) watched.output(text);
    for (let count = 0; outcome === '' && count < 2_000; count++) {
      watched.output(lines(500));
      clock.advance(1);
      clock.settleIo();
      await new Promise(setImmediate);
    }
    return outcome;
  }

  it('ends at its deadline although output goes on faster than the search', async () => {
    expect(await outcomeInFlood(['^nothing'])).toBe('timed_out');
  });

  it('finds then, too, what was shown and erased before the deadline', async () => {
    const shown = ['\x1b[?1049hflash', '\x1b[2J\x1b[?1049l'];
    expect(await outcomeInFlood(['^nothing', 'flash'], shown)).toBe('matched');
  });

  it.each<[string, WaitRequest, number | undefined]>([
    ['are counted in the result if nothing matches', { match: ['^line 3$'], timeoutMs: 0 }, 1_487],
    ['and if something matches', { match: ['^line 1499$'] }, 1_487],
    [
      'and if a condition is met that is not about text',
      { stop: ['^x'], idle: 1, bell: true, timeoutMs: 0 } as WaitRequest,
      1_487,
    ],
    ['but not without patterns', { bell: true, timeoutMs: 0 }, undefined],
  ])('lines that are lost %s', async (_what, request, lost) => {
    const watched = archiving(10, null);
    watched.output(lines(1_500));
    const { lostLines } = await slicedWait(watched, { since: 'start', ...request });
    expect(lostLines).toBe(lost);
    const { lostLines: none } = await slicedWait(watched, {
      since: markNow(watched),
      ...request,
      timeoutMs: 0,
    });
    expect(none).toBeUndefined();
  });

  it('lines that cannot be read, or are removed during the search, are counted, also in a search', async () => {
    const archive = new MemoryArchive();
    const watched = archiving(10, archive);
    watched.output(lines(20_000));
    const [, second] = archive.blocks;
    const read = archive.read.bind(archive);
    archive.read = (line) =>
      line >= (second?.from ?? 0) && line < (second?.to ?? 0) ? null : read(line);
    const damaged = (second?.to ?? 0) - (second?.from ?? 0);
    const request = { since: 'start' as const, match: ['^nothing'], timeoutMs: 0 };
    expect((await slicedWait(watched, request)).lostLines).toBe(damaged);
    const searched = await searchLines(watched.all, { pattern: 'x' }, new VirtualClock());
    expect(searched.lostLines).toBe(damaged);
    const last = { ...request, match: ['^line 15000$'] };
    const outcome = { outcome: 'matched', lostLines: damaged };
    expect(await slicedWait(watched, last)).toMatchObject(outcome);
    // Without slices, the match is found before the wait has begun.
    const soon = await waitFor(watched, last, new VirtualClock());
    expect(soon).toMatchObject(outcome);
    watched.noteInput(Buffer.from('not shown\r'));
    expect((await slicedWait(watched, request)).lostLines).toBe(damaged);
    const removed = await slicedWait(watched, request, (slice) => {
      if (slice === 0) archive.blocks.splice(0, 3);
    });
    expect(removed.lostLines).toBeGreaterThan(damaged);
  });

  it('lines that are removed during a search are counted', async () => {
    const archive = new MemoryArchive();
    const watched = archiving(10, archive);
    watched.output(lines(20_000));
    const clock = new SlicingClock();
    const searching = searchLines(watched.all, { pattern: 'nothing' }, clock);
    const { to = 0 } = archive.blocks[2] ?? {};
    archive.blocks.splice(0, 3);
    let isDone = false;
    void searching.then(() => {
      isDone = true;
    });
    while (!isDone) {
      clock.settleIo();
      await new Promise(setImmediate);
    }
    const { lostLines } = await searching;
    expect(lostLines).toBeGreaterThan(0);
    expect(lostLines).toBeLessThan(to);
  });

  it('raw output that is no longer kept is counted in bytes', async () => {
    const watched = archiving(10);
    watched.output(lines(10));
    Object.assign(watched, { rawOutput: () => [] });
    const { lostBytes } = await slicedWait(watched, {
      since: 'start',
      raw: true,
      match: ['^nothing'],
      timeoutMs: 0,
    });
    expect(lostBytes).toBe(watched.outputEnd);
  });
});
