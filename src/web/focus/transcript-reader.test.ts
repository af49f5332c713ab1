import { describe, expect, it } from 'vitest';
import type { Calls } from '../link/link.ts';
import { lineWith, TranscriptReader } from './transcript-reader.ts';

/** A session whose reads have these answers, one after the other. */
function reading(...answers: (object | Error)[]) {
  const requests: Record<string, unknown>[] = [];
  const link = {
    async call(_method: string, body: object) {
      requests.push(body as Record<string, unknown>);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Calls;
  const reader = new TranscriptReader(link, { name: 'one', id: 'id' });
  return { reader, asked: requests, texts: () => reader.lines.value.map(({ text }) => text) };
}

const shown = (tail: string, mark: string, more: object = {}) => ({
  kind: 'READ_KIND_TRANSCRIPT',
  text: { tail, ...more },
  mark,
});

describe('[S3.32] the transcript of a full-screen program', () => {
  it('goes on from the mark of the last reading', async () => {
    const { reader, asked, texts } = reading(
      shown('one\n\ntwo', 'm1'),
      { kind: 'READ_KIND_UNCHANGED', mark: 'm2' },
      shown('three', 'm3'),
    );
    await reader.read();
    expect(texts()).toEqual(['one', '', 'two']);
    await reader.read();
    await reader.read();
    expect(texts()).toEqual(['one', '', 'two', 'three']);
    expect(asked.map(({ since }) => since)).toEqual([undefined, 'm1', 'm2']);
    expect(asked[0]).toMatchObject({ sessionId: 'id', transcript: true });
  });

  it('is read once at a time', async () => {
    const { reader, asked } = reading(shown('one', 'm1'));
    await Promise.all([reader.read(), reader.read()]);
    expect(asked).toHaveLength(1);
  });

  it('marks where rows may be missing', async () => {
    const { reader } = reading({
      ...shown('b\nc\nd', 'm', { omitted: { lines: '2' } }),
      uncertain: [4],
    });
    await reader.read();
    expect(reader.lines.value.map(({ isUncertain }) => isUncertain)).toEqual([true, false, true]);
  });

  it('keeps its lines when the program leaves its screen or cannot be read', async () => {
    const { reader, texts } = reading(
      shown('one', 'm1'),
      { kind: 'READ_KIND_LINES', text: { tail: '$ ' }, mark: 'm2' },
      new Error('it has gone'),
    );
    await reader.read();
    await reader.read();
    expect(reader.problem.value).toMatch(/no longer has the whole screen/);
    await reader.read();
    expect([texts(), reader.problem.value]).toEqual([['one'], 'it has gone']);
  });

  it('is searched without regard to case, around its end', () => {
    const lines = ['Alpha', 'beta', 'ALPHABET'].map((text) => ({ text, isUncertain: false }));
    expect([0, 1, 3].map((from) => lineWith(lines, 'alpha', from))).toEqual([0, 2, 0]);
    expect(lineWith(lines, 'gamma', 0)).toBe(-1);
  });
});
