import { describe, expect, it } from 'vitest';
import { type ReadRequest, type SessionInfo, startMark } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

export function readingContract(fixture: CoordinatorFixture): void {
  /** A program that prints its input lines; a line may have `printf` escapes. */
  const printer = (more = {}): Promise<SessionInfo> =>
    fixture.driver.ready(
      'stty -echo; printf "ready\\r\\n"; while IFS= read -r line; do printf "$line"; done',
      more,
    );

  /** Prints, and waits until the output is visible. */
  const print = async (session: SessionInfo, text: string) => {
    const line = `${text}<end>\n`;
    const wait = { match: ['<end>'], raw: true, timeoutMs: 60_000 };
    expect((await fixture.coordinator.sendText(session, line, { wait })).wait?.outcome).toBe(
      'matched',
    );
  };

  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index}\\r\\n`).join('');

  describe('a read', () => {
    it('returns all output kept, then new output', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const all = await coordinator.read(session);
      expect(all).toMatchObject({ kind: 'lines', text: { tail: 'ready', omitted: null } });
      await print(session, 'one\\r\\ntwo ');
      const some = await coordinator.read(session, { since: all.mark });
      expect(some).toMatchObject({ kind: 'lines', fromLine: 1, text: { tail: 'one\ntwo <end>' } });
      await print(session, 'more');
      const more = await coordinator.read(session, { since: some.mark });
      expect(more).toMatchObject({ fromLine: 2, text: { tail: 'more<end>' } });
      expect(more.revision).toBeGreaterThan(some.revision);
    });

    it('counts all lines that it lacks, also without a mark', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('seq 3000; echo ready', { scrollbackLines: 100 });
      for (const request of [{}, { since: startMark }]) {
        const { gap, fromLine } = await coordinator.read(session, { ...request, maxLines: 5 });
        expect(fromLine).toBeGreaterThan(1_000);
        expect(gap.lines + (gap.earlier ?? 0)).toBe(fromLine);
        const { oldestLine } = await coordinator.readLines(session, { from: 0, to: 0 });
        expect(oldestLine).toBe(gap.lines);
      }
      const raw = await coordinator.read(session, { format: 'raw' });
      expect(raw.gap.bytes).toBe(raw.raw?.offset);
    });

    it('continues from a mark at the end of the output', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const mark = await coordinator.mark(session);
      expect(await coordinator.read(session, { since: mark })).toMatchObject({ kind: 'unchanged' });
      await print(session, 'one');
      const { text } = await coordinator.read(session, { since: mark });
      expect(text.tail).toBe('one<end>');
    });

    it('reports that nothing has changed', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      const again = await coordinator.read(session, { since: mark });
      expect(again).toMatchObject({ kind: 'unchanged', text: { tail: '' }, fromLine: null });
      expect((await coordinator.read(session, { since: again.mark })).kind).toBe('unchanged');
    });

    it('does not affect other readers', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const first = await coordinator.read(session);
      await print(session, 'a');
      const second = await coordinator.read(session, { since: first.mark });
      await print(session, 'b');
      const late = await coordinator.read(session, { since: first.mark });
      expect(late.text.tail).toBe('a<end>b<end>');
      const soon = await coordinator.read(session, { since: second.mark });
      expect(soon.text.tail).toBe('b<end>');
    });

    it('returns the last state of a repainted line', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      await print(session, '\\r10%%\\r55%%\\r100%%');
      expect((await coordinator.read(session, { since: mark })).text.tail).toBe('100%<end>');
    });

    it('continues from its mark after a resize', async () => {
      const { coordinator } = fixture;
      const session = await printer({ size: { cols: 40, rows: 5 } });
      await print(session, `${'long '.repeat(20)}\\r\\n`);
      const { mark } = await coordinator.read(session);
      await coordinator.resize(session, { cols: 15, rows: 7 });
      await print(session, '\\r\\nnew');
      expect((await coordinator.read(session, { since: mark })).text.tail).toMatch(/^\n?new<end>$/);
    });

    it.each<[string, ReadRequest, string, string, number, number]>([
      ['of lines, the end', { maxLines: 2 }, '', 'line 9\n<end>', 9, 0],
      ['of lines, the beginning', { maxLines: 2, keep: 'head' }, 'line 0\nline 1', '', 9, 2],
      ['of lines, both', { maxLines: 3, keep: 'both' }, 'line 0\nline 1', '<end>', 8, 2],
      ['of bytes', { maxBytes: 12 }, '', 'line 9\n<end>', 9, 0],
      ['of tokens', { maxTokens: 4 }, '', 'line 9\n<end>', 9, 0],
    ])('stays within a budget %s', async (_what, budget, head, tail, omitted, from) => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      await print(session, numbered(10));
      const { text } = await coordinator.read(session, { since: mark, ...budget });
      expect([text.head, text.tail, text.omitted?.lines]).toEqual([head, tail, omitted]);
      expect(text.omitted?.fromLine).toBe(1 + from);
      const all = [...Array.from({ length: 10 }, (_, index) => `line ${index}`), '<end>'].join(
        '\n',
      );
      expect(text.omitted?.bytes).toBe(all.length - head.length - tail.length);
    });

    it('[S4.09] keeps raw output up to the requested size, and counts the dropped bytes', async () => {
      const { coordinator, driver } = fixture;
      for (const rawBytes of [4096, 2 * 1024 * 1024]) {
        const session = await driver.sh('head -c 1500000 /dev/zero', { rawBytes });
        await driver.exitOf(session);
        const read = await coordinator.read(session, { since: startMark, format: 'raw' });
        const length = read.raw?.bytes.length ?? 0;
        expect(length + read.gap.bytes).toBe(1_500_000);
        if (rawBytes > 1_500_000) expect(length).toBe(1_500_000);
        // Up to one page more may be kept.
        else expect(length).toBeLessThan(rawBytes + 70_000);
      }
    });

    it('counts the output dropped before it was read', async () => {
      const driver = await fixture.another({ scrollback: { maxLines: 50, maxBytes: 1 << 20 } });
      const { coordinator } = driver;
      const session = await driver.ready('stty -echo; echo ready; read -r _; seq 1000; read -r _');
      const { mark } = await coordinator.read(session);
      await coordinator.sendText(session, '\n', { wait: { match: ['^1000$'] } });
      const { gap, fromLine, text } = await coordinator.read(session, { since: mark });
      expect(fromLine).toBeGreaterThan(900);
      expect(gap).toEqual({ lines: (fromLine ?? 0) - 1, bytes: 0 });
      expect(text.tail.startsWith(`${fromLine}\n`)).toBe(true);
    });

    it('returns unread lines and the whole alternate screen if it has changed', async () => {
      const { coordinator } = fixture;
      const session = await printer({ size: { cols: 20, rows: 5 } });
      await print(session, '\\033[?1049h\\033[2;2Hmenu');
      const result = await coordinator.read(session);
      expect(result).toMatchObject({
        kind: 'screen',
        fromLine: 0,
        text: { tail: 'ready\n menu<end>' },
      });
      const same = await coordinator.read(session, { since: result.mark });
      expect(same.kind).toBe('unchanged');
      await print(session, '\\033[1;1Htop');
      const changed = await coordinator.read(session, { since: result.mark });
      expect(changed).toMatchObject({ kind: 'screen', text: { tail: 'top<end>\n menu<end>' } });
    });

    it('returns the transcript of the alternate screen, and the rows that are new', async () => {
      const { coordinator } = fixture;
      const size = { cols: 30, rows: 6 };
      const publication = await coordinator.publish({ by: 'x', program: 'agent', size });
      const { session } = publication;
      const rows = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, at) => `line ${from + at} of it`);
      const draw = (from: number) => {
        const drawn = [...rows(from, from + 4), '-----', '> ask'].map(
          (text, row) => `\x1b[${row + 1}H\x1b[K${text}`,
        );
        return publication.write(Buffer.from(`\x1b[?2026h${drawn.join('')}\x1b[?2026l`));
      };
      await publication.write(Buffer.from('a shell\r\n\x1b[?1049h'));
      for (const from of [0, 2, 3]) await draw(from);
      const transcript = { transcript: true };
      const all = await coordinator.read(session, transcript);
      expect(all).toMatchObject({ kind: 'transcript', fromLine: null, uncertain: [] });
      expect(all.text.tail.split('\n')).toEqual(rows(0, 7));
      const above = await coordinator.read(session, { ...transcript, aboveScreen: true });
      expect(above.text.tail.split('\n')).toEqual(rows(0, 3));
      const since = { ...transcript, since: all.mark };
      expect((await coordinator.read(session, since)).kind).toBe('unchanged');
      await draw(6);
      const { text } = await coordinator.read(session, { ...since, maxLines: 2 });
      expect(text).toMatchObject({ tail: 'line 8 of it\nline 9 of it', omitted: { lines: 1 } });
      await expect(
        coordinator.read(session, { ...transcript, format: 'ansi' }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await publication.write(Buffer.from('\x1b[?1049l'));
      expect(await coordinator.read(session, transcript)).toMatchObject({
        kind: 'lines',
        text: { tail: 'a shell' },
      });
    });

    it('has colours in the format ansi', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      await print(session, '\\033[31mred\\033[m');
      const { text } = await coordinator.read(session, { since: mark, format: 'ansi' });
      expect(text.tail).toMatch(/^\u001b\[(0;)?31mred\u001b\[0?m<end>/);
    });

    it('tells whether its lines have invisible text, if it is asked', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark: since } = await coordinator.read(session);
      const isHidden = async (mark: string) =>
        (await coordinator.read(session, { since: mark, tellHidden: true })).hidden;
      await print(session, 'plain\\r\\n');
      expect(await isHidden(since)).toBe(false);
      await print(session, '\\033[8mconcealed\\033[m\\r\\n');
      expect(await isHidden(since)).toBe(true);
      const { mark, hidden } = await coordinator.read(session, { since });
      expect(hidden).toBeUndefined();
      await print(session, '\\033[31;41mred on red\\033[m\\r\\n');
      expect(await isHidden(mark)).toBe(true);
      expect(await isHidden(await coordinator.mark(session))).toBeUndefined();
    });

    it('returns raw output', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      await print(session, '\\000\\033[31mr\\177\\033[m');
      const request = { since: mark, format: 'raw' } as const;
      const all = await coordinator.read(session, request);
      const bytes = Buffer.from('\0\u001b[31mr\u007f\u001b[m<end>');
      expect(all).toMatchObject({ kind: 'raw', text: { tail: '' } });
      expect(Buffer.from(all.raw?.bytes ?? [])).toEqual(bytes);
      const head = await coordinator.read(session, { ...request, maxBytes: 5, keep: 'head' });
      expect(Buffer.from(head.raw?.bytes ?? [])).toEqual(bytes.subarray(0, 5));
      expect(head.raw).toMatchObject({ offset: all.raw?.offset, omittedBytes: bytes.length - 5 });
      const none = await coordinator.read(session, { ...request, since: all.mark });
      expect(none.kind).toBe('unchanged');
    });

    it('works after the exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; echo bye');
      const { mark } = await coordinator.read(session);
      await coordinator.sendText(session, '\n');
      await driver.exitOf(session);
      expect((await coordinator.read(session, { since: mark })).text.tail).toBe('bye');
    });

    it.each<[string, ReadRequest, string, RegExp]>([
      ['an invalid mark', { since: 'here' }, 'INVALID_MARK', /"here" is not valid/],
      ['an empty mark', { since: '' }, 'INVALID_MARK', /is not valid/],
      ['half a byte', { maxBytes: 0.5 }, 'INVALID_ARGUMENT', /maxBytes is 0.5/],
      ['less than no token', { maxTokens: -1 }, 'INVALID_ARGUMENT', /maxTokens is -1/],
      ['another format', { format: 'cells' as 'text' }, 'INVALID_ARGUMENT', /text, ansi or raw/],
      ['another part', { keep: 'middle' as 'head' }, 'INVALID_ARGUMENT', /head, tail or both/],
    ])('rejects %s', async (_what, request, code, says) => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const reading = fixture.coordinator.read('one', request);
      await expect(reading).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      await expect(reading).rejects.toThrow(/^session one: /);
    });

    it('rejects a mark of another session', async () => {
      const { coordinator, driver } = fixture;
      const one = await driver.spawn({ program: 'cat' });
      const two = await driver.spawn({ program: 'cat' });
      const { mark } = await coordinator.read(one);
      await expect(coordinator.read(two, { since: mark })).rejects.toMatchObject({
        code: 'INVALID_MARK',
        message: expect.stringContaining('does not belong to this session'),
      });
    });
  });
}
