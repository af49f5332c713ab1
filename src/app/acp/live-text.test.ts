import { describe, expect, it } from 'vitest';
import type { Coordinator, ExitStatus, ReadResult, WaitResult } from '#model';
import { LiveText, terminalText } from './live-text.ts';

describe('live text', () => {
  /** Resolves each read in progress. */
  const reads: ((output: string) => void)[] = [];
  const statuses: (ExitStatus | null)[] = [null, { code: 0, signal: null }];

  const coordinator = {
    wait: async () => ({ exitStatus: statuses.shift() }) as WaitResult,
    read: () =>
      new Promise((resolve) => {
        reads.push((tail) => resolve({ text: { tail, omitted: null } } as ReadResult));
      }),
  } as unknown as Coordinator;

  const answers = async (output: string) => {
    await expect.poll(() => reads.length).toBeGreaterThan(0);
    reads.pop()?.(output);
  };

  it('an older read of a terminal does not overwrite a newer one', async () => {
    const text = new LiveText({ name: 'x' }, coordinator);
    const looks = [text.refresh(), text.refresh()];
    // The newest read in progress is answered first.
    await answers('one');
    await answers('two');
    await Promise.all(looks);
    expect(text.isFinal).toBe(true);
    expect(text.text).toMatch(/exited 0/);
  });
});

const shown = (tail: string, more: object = {}) =>
  terminalText({
    name: 'term_x',
    output: { head: '', tail, omitted: null, tokens: 0 },
    exitStatus: null,
    ...more,
  });
const ways = '`vtr attach term_x` · `vtr screen term_x`';

describe('terminalText', () => {
  it.each([
    ['', {}, `running · ${ways}`],
    ['one\ntwo\n\n  \n', {}, `\`\`\`\none\ntwo\n\`\`\`\nrunning · ${ways}`],
    ['x', { exitStatus: { code: 3, signal: null } }, `\`\`\`\nx\n\`\`\`\nexited 3 · ${ways}`],
    ['x', { isGone: true }, '```\nx\n```\nended'],
    ['x', { exitStatus: { code: 0, signal: null }, isGone: true }, '```\nx\n```\nexited 0'],
    [
      'x',
      { exitStatus: { code: null, signal: 'SIGTERM' } },
      `\`\`\`\nx\n\`\`\`\nkilled by SIGTERM · ${ways}`,
    ],
  ])('shows %j', (output, more, text) => {
    expect(shown(output, more)).toBe(text);
  });

  it('counts the lines left out', () => {
    const omitted = { lines: 12, bytes: 300, fromLine: 500, toLine: 512 };
    const text = shown('', { output: { head: '', tail: 'last', omitted, tokens: 0 } });
    expect(text).toContain('```\n... 512 lines before\nlast\n```');
  });

  it('no output can end its block or hide in it', () => {
    const text = shown('before\n````\n**bold**\u202e\u001b[2J after');
    expect(text).toMatch(/^`````\n[\s\S]*\n`````\nrunning/);
    expect(text).not.toMatch(/[\u202e\u001b]/);
  });
});
