import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8, ignored } from '#base';
import type { RecordFormat, SessionRef } from '#model';
import { parseCast, type RecordedEvent } from '#recording';
import { Replay } from '#replay';
import type { CoordinatorFixture } from '../coordinator.ts';

const size = { cols: 20, rows: 4 };
/** What a shell prints for a line, in three parts: the prompt, the output, and the next prompt. */
const prompt = '\x1b]133;A\x07$ \x1b]133;B\x07';
const outputOf = (line: string, output: string) =>
  `${line}\r\n\x1b]633;E;${line}\x07\x1b]133;C\x07${output}\r\n`;
const end = (exitCode: number) => `\x1b]133;D;${exitCode}\x07${prompt}`;

export function recordingContract(fixture: CoordinatorFixture): void {
  describe('recordings', () => {
    const published = async (...parts: readonly string[]) => {
      const publication = await fixture.coordinator.publish({ by: 'a test', size });
      const write = (text: string) => publication.write(encodeUtf8(text));
      for (const part of parts) await write(part);
      const { name, id } = publication.session;
      return { session: { name, id }, write, publication };
    };
    const recorded = async (session: SessionRef, format?: RecordFormat) =>
      fixture.coordinator.record(session, format === undefined ? {} : { format });
    const eventsOf = async (session: SessionRef): Promise<readonly RecordedEvent[]> =>
      parseCast((await recorded(session)).data).events;
    const markersOf = async (session: SessionRef) =>
      (await eventsOf(session)).flatMap((event) => (event.type === 'marker' ? event.label : []));

    it('[S3.33] has what happened before anyone asked, and replays to the same screen', async () => {
      const beforeMs = Date.now();
      const { session, publication } = await published('one\r\n', '\x1b[31mtw', '\xc3', 'o');
      await publication.resize({ cols: 30, rows: 5 });
      const { data, sinceMs, begins } = await recorded(session);
      expect(begins).toBe('start');
      expect(sinceMs).toBeGreaterThanOrEqual(beforeMs - 1);
      const recording = parseCast(data);
      expect(recording.version).toBe(3);
      expect(recording.header).toMatchObject({ size, title: session.name, idleLimitMs: 2000 });
      expect(recording.events[0]).toMatchObject({ type: 'output', atMs: 0 });
      const replay = new Replay(recording);
      const { text, cursor } = await fixture.coordinator.screen(session);
      const terminal = replay.at(replay.durationMs);
      expect([terminal.screenText(), terminal.cursor]).toEqual([text, cursor]);
    });

    it('[S3.33] are asciicast 2 or 3, the text of all lines, or the output itself', async () => {
      const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`);
      const { session } = await published(lines.join('\r\n'));
      const v2 = parseCast((await recorded(session, 'v2')).data);
      expect([v2.version, v2.header.size]).toEqual([2, size]);
      const text = decodeUtf8((await recorded(session, 'text')).data);
      expect(text).toBe(`${lines.join('\n')}\n`);
      const raw = decodeUtf8((await recorded(session, 'raw')).data);
      expect(raw.endsWith(lines.join('\r\n'))).toBe(true);
      const unknown = recorded(session, 'v1' as RecordFormat);
      await expect(unknown).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });

    it('[S3.33] have a marker for each command with its line, and its status at its end', async () => {
      const { session } = await published(prompt, outputOf('make', 'no rule'), end(2));
      const events = await eventsOf(session);
      const changes = events.filter(({ type }) => type !== 'output');
      const note = { cmd: 1, exit: 2, ms: expect.any(Number) };
      expect(changes).toMatchObject([
        { type: 'marker', label: 'make (unverified)' },
        { type: 'note', note },
      ]);
      const [from, to] = changes.map((change) => events.indexOf(change));
      const between = events
        .slice(from, to)
        .flatMap((event) => ('text' in event ? event.text : []));
      expect(between.join('')).toBe('\x1b]133;C\x07no rule\r\n');
    });

    it('have markers of clients, of agents that send, and of people who take over', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('cat');
      await coordinator.setMarker(session, ' before \n the test ');
      await coordinator.sendText(session, 'x\n', { by: 'codex', inputId: 'first-input-id-1' });
      await coordinator.sendText(session, 'x\n', { by: 'codex', inputId: 'first-input-id-1' });
      await coordinator.take(session, { name: 'alice' });
      await ignored(coordinator.sendText(session, 'y\n'), 'a person drives');
      await coordinator.give(session);
      expect(await markersOf(session)).toEqual([
        'before the test',
        'agent: codex send',
        'driver: alice took over',
        'driver: alice gave back',
      ]);
      await expect(coordinator.setMarker(session, ' ')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });
  });

  describe('looking back', () => {
    const begun = async () => {
      const publication = await fixture.coordinator.publish({ by: 'a test', size });
      const write = (text: string) => publication.write(encodeUtf8(text));
      await write(`${prompt}${outputOf('ls', 'a.txt')}${end(0)}`);
      await fixture.coordinator.setMarker(publication.session, 'before');
      await write(`${outputOf('cat a.txt', 'x\r\ny\r\nz')}${end(1)}\x1b[2J`);
      const { name, id } = publication.session;
      return { name, id };
    };

    it('shows the screen as it was at a marker, at the end of a command, and at a time', async () => {
      const { coordinator } = fixture;
      const session = await begun();
      const at = async (time: string) => {
        const { text, atMs = 0 } = await coordinator.screen(session, { at: time });
        expect(Math.abs(Date.now() - atMs)).toBeLessThan(60_000);
        return text;
      };
      expect(await at('marker:before')).toEqual(['$ ls', 'a.txt', '$', '']);
      expect(await at('marker:cat a.txt (unverified)')).toEqual([
        '$ ls',
        'a.txt',
        '$ cat a.txt',
        '',
      ]);
      expect(await at('command:1')).toEqual(['$ ls', 'a.txt', '', '']);
      expect(await at('command:2')).toEqual(['x', 'y', 'z', '']);
      expect(await at('command:last')).toEqual(['x', 'y', 'z', '']);
      const now = await coordinator.screen(session);
      expect(await at('-0s')).toEqual(now.text);
      expect(await at(new Date().toISOString())).toEqual(now.text);
    });

    it('reads the lines as they were, and continues from there', async () => {
      const { coordinator } = fixture;
      const session = await begun();
      const read = await coordinator.read(session, { at: 'command:2' });
      expect(read.text.tail).toBe('$ ls\na.txt\n$ cat a.txt\nx\ny\nz');
      expect(read.atMs).toBeTypeOf('number');
      const later = await coordinator.read(session, { since: read.mark });
      expect(later.kind).not.toBe('unchanged');
      const lines = await coordinator.readLines(session, { from: 1, to: 4, at: 'command:2' });
      expect(lines).toMatchObject({ firstLine: 0, endLine: 6, dropped: 0 });
      expect(lines.lines.map(({ text }) => text)).toEqual(['a.txt', '$ cat a.txt', 'x']);
      const conflict = coordinator.read(session, { at: '-0s', since: read.mark });
      await expect(conflict).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });

    it.each([
      ['2001-01-01T00:00:00Z', 'NOT_RECORDED', /is not recorded; the session is known from .* on/],
      ['marker:befor', 'NOT_RECORDED', /did you mean before\?/],
      ['command:7', 'COMMAND_NOT_FOUND', /commands 1 to 2 are kept/],
      ['yesterday', 'INVALID_ARGUMENT', /use 10:32:05, .*-30s/],
      ['30s', 'INVALID_ARGUMENT', /-30s for 30s ago/],
    ])('fails for the time %s with %s', async (time, code, message) => {
      const { coordinator } = fixture;
      const session = await begun();
      const failure = { code, message: expect.stringMatching(message) };
      await expect(coordinator.screen(session, { at: time })).rejects.toMatchObject(failure);
      await expect(coordinator.readLines(session, { at: time })).rejects.toMatchObject(failure);
      await expect(coordinator.read(session, { at: time })).rejects.toMatchObject(failure);
    });
  });
}
