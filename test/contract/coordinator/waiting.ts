import { describe, expect, it } from 'vitest';
import type { SessionInfo, WaitRequest, WaitResult } from '#model';
import { provided } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Only Linux reports whether a program reads the terminal. */
const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

/** Longer than any test that passes, in ms. */
const longMs = 60_000;
/** How long to wait for something that must not happen, in ms. */
const momentMs = 150;

export function waitingContract(fixture: CoordinatorFixture): void {
  /** A program that prints its input lines; a line may have `printf` escapes. */
  const printer = (more = {}): Promise<SessionInfo> =>
    fixture.driver.ready(
      'stty -echo; printf ready; while IFS= read -r line; do printf "$line"; done',
      more,
    );

  const print = (session: SessionInfo, text: string) =>
    fixture.coordinator.sendText(session, `${text}\n`);

  /** Waits while output is printed. */
  const waitWhile = async (request: WaitRequest, ...texts: string[]): Promise<WaitResult> => {
    const session = await printer({ size: { cols: 40, rows: 6 } });
    const waiting = fixture.coordinator.wait(session, { timeoutMs: longMs, ...request });
    for (const text of texts) await print(session, text);
    return waiting;
  };

  describe('a wait in another call', () => {
    it('begins with the program that is spawned', async () => {
      const { coordinator, driver } = fixture;
      const wait = { match: ['on (\\d+)'], title: '^never', timeoutMs: longMs };
      const spawned = await driver.sh('echo "listens on 80"; exec sleep 1000', { wait });
      expect(spawned).toMatchObject({
        state: 'running',
        wait: { outcome: 'matched', match: { text: 'listens on 80', groups: ['80'] } },
      });
      const ring = { wait: { bell: true, timeoutMs: longMs } };
      const rung = await driver.sh("printf '\\a'; exec sleep 1000", ring);
      expect(rung.wait?.outcome).toBe('bell');
      const ended = await driver.sh('exit 3', { wait: { match: ['x'], timeoutMs: longMs } });
      expect(ended).toMatchObject({ state: 'exited', wait: { outcome: 'exited' } });
      const invalid = coordinator.spawn({ name: 'no', program: 'sh', wait: { match: ['('] } });
      expect(await driver.codeOf(invalid)).toBe('INVALID_PATTERN');
      expect(await driver.codeOf(coordinator.info('no'))).toBe('SESSION_NOT_FOUND');
    });

    it('is not met by the echo of the input that is sent with it', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('printf ready; read -r x; echo "got $x"; exec sleep 1000');
      const wait = { match: ['one', 'two'], timeoutMs: longMs };
      const result = await coordinator.sendText(session, 'one\r', { wait });
      expect(result.wait).toMatchObject({ outcome: 'matched', match: { text: 'got one' } });
      const since = { since: result.mark, match: ['^readyone', 'never'], timeoutMs: 300 };
      const late = await coordinator.wait(session, since);
      expect(late).toMatchObject({ outcome: 'timed_out', inEcho: true });
      // The result is not delayed for the activity, which takes longer on a busy machine.
      const before = () => coordinator.wait(session, { match: ['got'], timeoutMs: 100 });
      await expect.poll(before).toMatchObject({
        outcome: 'timed_out',
        matchedBefore: { text: 'got one', matched: 'got' },
        activity: { state: expect.any(String), sinceMs: expect.any(Number) },
      });
    });
  });

  describe('a wait for the first of several conditions', () => {
    it('returns the pattern that matched, and its groups', async () => {
      const match = ['never', '(\\d+) of (\\d+)( bytes)?'];
      expect(await waitWhile({ match, quietMs: longMs }, '\\r\\n 3 of 12\\r\\n')).toMatchObject({
        outcome: 'matched',
        pattern: { of: 'match', index: 1, source: match[1] },
        match: { line: 1, text: ' 3 of 12', matched: '3 of 12', groups: ['3', '12', null] },
      });
    });

    it('is stopped by `stop`, also if both match', async () => {
      const request = { match: ['done'], stop: ['^error: (.*)$'] };
      const result = await waitWhile(request, '\\r\\ndone\\r\\nerror: no room\\r\\n');
      expect(result).toMatchObject({
        outcome: 'stopped',
        pattern: { of: 'stop', index: 0 },
        match: { text: 'error: no room', groups: ['no room'] },
      });
    });

    it('matches the current screen, including earlier text', async () => {
      const request = { screen: ['^ready'] };
      const result = await waitWhile(request);
      expect(result).toMatchObject({
        outcome: 'matched',
        pattern: { of: 'screen' },
        match: { text: 'ready' },
        output: { tail: '' },
      });
    });

    it('matches the raw output', async () => {
      const request = { match: ['\\x1b\\[1m(\\w+)'], raw: true };
      const result = await waitWhile(request, '\\033[1mbold\\033[m');
      expect(result).toMatchObject({
        outcome: 'matched',
        match: { line: null, matched: '\u001b[1mbold', groups: ['bold'] },
      });
      const rendered = await waitWhile(
        { ...request, raw: false, timeoutMs: momentMs },
        '\\033[1mb',
      );
      expect(rendered.outcome).toBe('timed_out');
    });

    it('ends with a title that matches, and with the bell', async () => {
      const titled = await waitWhile(
        { title: '^build (ok|failed)$' },
        '\\033]2;building\\007',
        '\\033]2;build ok\\007',
      );
      expect(titled).toMatchObject({ outcome: 'title', pattern: { of: 'title', index: 0 } });
      expect(await waitWhile({ bell: true }, 'quiet', '\\007')).toMatchObject({ outcome: 'bell' });
    });

    it('recognises a prompt by the default pattern, or by a given one', async () => {
      expect(await waitWhile({ prompt: true }, '\\r\\nuser@host:~$ ')).toMatchObject({
        outcome: 'prompt',
      });
      const own = { prompt: true, promptPattern: '^\\(db\\)$' };
      expect(await waitWhile(own, '\\r\\n$ ', '\\r\\n(db)')).toMatchObject({ outcome: 'prompt' });
    });

    onLinux('finds a prompt only if the program reads the terminal', async () => {
      const { coordinator, driver } = fixture;
      const wait = { prompt: true, timeoutMs: 1_000 };
      const busy = await driver.sh(`printf '$ '; exec sleep 1000`);
      expect(await coordinator.wait(busy, wait)).toMatchObject({ outcome: 'timed_out' });
      const debugging = await driver.sh(`printf '(Pdb) '; exec cat`);
      const result = await coordinator.wait(debugging, { ...wait, timeoutMs: longMs });
      expect(result).toMatchObject({ outcome: 'prompt' });
      const silent = await driver.sh('exec cat');
      expect(await coordinator.wait(silent, wait)).toMatchObject({ outcome: 'timed_out' });
    });

    it('ignores a clock, and returns its row', async () => {
      const script = `echo ready; while :; do printf '\\rworking %s' $((n += 1)); sleep 0.6; done`;
      const session = await fixture.driver.ready(script);
      await fixture.driver.untilShown(session, 'working');
      const result = await fixture.coordinator.wait(session, { quietMs: 700 });
      expect(result).toMatchObject({
        outcome: 'idle',
        masked: [expect.stringContaining('working')],
      });
      const strict = { quietMs: 700, countClocks: true, timeoutMs: 1500 };
      expect((await fixture.coordinator.wait(session, strict)).outcome).toBe('timed_out');
      const ignoring = { quietMs: 700, countClocks: true, ignore: ['^working \\d+$'] };
      expect((await fixture.coordinator.wait(session, ignoring)).outcome).toBe('idle');
    });

    it('counts a spinner, unless its row is ignored', async () => {
      const script = `echo ready; while :; do printf '\\rworking %s' $((n += 1)); sleep 0.02; done`;
      const session = await fixture.driver.ready(script);
      await fixture.driver.untilShown(session, 'working');
      const idle = { quietMs: 700, timeoutMs: 1500 };
      expect((await fixture.coordinator.wait(session, idle)).outcome).toBe('timed_out');
      const ignoring = { ...idle, ignore: ['^working \\d+$'] };
      expect((await fixture.coordinator.wait(session, ignoring)).outcome).toBe('idle');
    });

    it('begins at a mark if given', async () => {
      const { coordinator } = fixture;
      const session = await printer();
      const { mark } = await coordinator.read(session);
      await print(session, '\\r\\nit came');
      await fixture.driver.untilShown(session, 'it came');
      const late = { match: ['it came'], timeoutMs: momentMs };
      expect((await coordinator.wait(session, late)).outcome).toBe('timed_out');
      const result = await coordinator.wait(session, { ...late, since: mark });
      expect(result).toMatchObject({ outcome: 'matched', output: { tail: 'it came' } });
      // A wait from its end does not match again.
      const again = await coordinator.wait(session, { ...late, since: result.mark });
      expect(again.outcome).toBe('timed_out');
    });

    it('returns the end of the output, and counts the rest', async () => {
      const tail = { maxLines: 3 };
      const text = Array.from({ length: 20 }, (_, index) => `\\r\\nline ${index}`).join('');
      const { output } = await waitWhile({ match: ['line 19'], tail }, text);
      expect(output).toMatchObject({ head: '', tail: 'line 17\nline 18\nline 19' });
      expect(output.omitted).toMatchObject({ lines: 17, fromLine: 1, toLine: 18 });
    });

    it.each<[string, WaitRequest, string, RegExp]>([
      ['an empty match', { match: [''] }, 'INVALID_PATTERN', /"" is empty/],
      ['an empty screen', { screen: [''] }, 'INVALID_PATTERN', /"" is empty/],
      ['an empty title', { title: '' }, 'INVALID_PATTERN', /"" is empty/],
      ['a stop that is not RE2', { stop: ['('] }, 'INVALID_PATTERN', /RE2/],
      ['a screen that is not RE2', { screen: ['('] }, 'INVALID_PATTERN', /RE2/],
      ['a title that is not RE2', { title: '(' }, 'INVALID_PATTERN', /RE2/],
      ['a prompt that is not RE2', { prompt: true, promptPattern: '(' }, 'INVALID_PATTERN', /RE2/],
      ['an ignore that is not RE2', { quietMs: 1, ignore: ['('] }, 'INVALID_PATTERN', /RE2/],
      ['an invalid mark', { since: 'here' }, 'INVALID_MARK', /"here" is not valid/],
      ['an empty mark', { since: '' }, 'INVALID_MARK', /is not valid/],
      ['half a line', { tail: { maxLines: 0.5 } }, 'INVALID_ARGUMENT', /maxLines is 0.5/],
      ['65 patterns', { match: Array(65).fill('x') }, 'INVALID_ARGUMENT', /65 patterns/],
    ])('rejects %s', async (_what, request, code, says) => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      const waiting = fixture.coordinator.wait('one', request);
      await expect(waiting).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      await expect(waiting).rejects.toThrow(/^session one: /);
    });
  });

  describe('input with a wait', () => {
    it('sees every effect of text, keys and bytes', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const wait = { match: ['^(\\w+)!$'], timeoutMs: longMs };
      const results = [
        await coordinator.sendText(session, 'text!\n', { wait }),
        await coordinator.sendKeys(session, ['k', '!', 'enter'], { wait }),
        await coordinator.sendBytes(session, Buffer.from('bytes!\n'), { wait }),
      ];
      expect(results.map((each) => [each.wait?.outcome, each.wait?.match?.groups])).toEqual([
        ['matched', ['text']],
        ['matched', ['k']],
        ['matched', ['bytes']],
      ]);
    });

    it('returns a mark before it, from which reads and waits continue', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const first = await coordinator.sendText(session, 'first\n');
      expect(first).toEqual({ mark: expect.any(String), driverEpoch: 1 });
      await coordinator.sendText(session, 'second\n', { wait: { match: ['second'] } });
      const { text } = await coordinator.read(session, { since: first.mark });
      expect(text.tail).toBe('first\nsecond');
    });

    it('reads the output and the session in the same call, if that is requested', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const since = await coordinator.mark(session);
      const wait = { match: ['two'], timeoutMs: longMs, read: { since } };
      const { wait: result } = await coordinator.sendText(session, 'one\ntwo\n', { wait });
      expect(result).toMatchObject({
        outcome: 'matched',
        session: { id: session.id, name: session.name, size: session.size, exitStatus: null },
        activity: { state: expect.any(String) },
        read: { kind: 'lines', text: { tail: 'one\ntwo' } },
      });
      const rest = await coordinator.read(session, { since: result?.read?.mark ?? '' });
      expect(rest.kind).toBe('unchanged');
      // A read that fails does not take the result of the wait.
      const failing = { screen: ['two'], timeoutMs: longMs, read: { since: 'here' } };
      const waited = await coordinator.wait(session, failing);
      expect(waited).toMatchObject({ outcome: 'matched', exitStatus: null });
      for (const name of ['read', 'session']) expect(waited).not.toHaveProperty(name);
    });

    it('is not sent if the wait is rejected or cancelled before', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const send = (wait: WaitRequest) =>
        driver.codeOf(coordinator.sendText(session, 'lost\n', { wait }));
      expect(await send({ match: ['('] })).toBe('INVALID_PATTERN');
      expect(await send({ since: 'here' })).toBe('INVALID_MARK');
      expect(await send({ signal: AbortSignal.abort() })).toBe('CANCELLED');
      await coordinator.sendText(session, 'kept\n', { wait: { match: ['kept'] } });
      expect(await driver.text(session)).toBe('ready\nkept');
    });

    it('is cancelled without effect on the program', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; exec cat');
      const cancel = new AbortController();
      const wait = { match: ['never'], signal: cancel.signal };
      const sending = coordinator.sendText(session, 'sent\n', { wait });
      await driver.untilShown(session, 'sent');
      cancel.abort();
      expect(await driver.codeOf(sending)).toBe('CANCELLED');
      expect((await coordinator.info(session)).state).toBe('running');
    });

    it('that is not accepted fails, and ends its wait', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty raw -echo; echo ready; exec sleep 1000');
      const text = 'x'.repeat(200_000);
      const options = { timeoutMs: momentMs, wait: { match: ['never'], timeoutMs: longMs } };
      expect(await driver.codeOf(coordinator.sendText(session, text, options))).toBe(
        'INPUT_TIMEOUT',
      );
    });
  });
}
