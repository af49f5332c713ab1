import { type Client, Code, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScreenUpdate, type SubscribeEvent, VTR } from '#messages';
import { defaultScrollback, Terminal } from '#vt';
import { SessionDriver } from '../support/command/session-driver.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { SubscribedTerminal } from '../support/service/subscribed-terminal.ts';
import { wireTransport } from '../support/service/wire-client.ts';
import { expectSameTerminal } from '../support/vt/same-terminal.ts';

const textOf = ({ screen }: ScreenUpdate): string[] =>
  (screen?.screenRows ?? []).map(({ cells }) =>
    cells
      .map(({ char }) => char)
      .join('')
      .trimEnd(),
  );

describe('a subscription to', () => {
  let served: ServedCoordinator;
  let driver: SessionDriver;
  let client: Client<typeof VTR>;

  beforeEach(async () => {
    served = await serveCoordinator();
    driver = new SessionDriver(served.local);
    client = createClient(VTR, wireTransport(served));
  });
  afterEach(() => served.end());

  const take = async (events: AsyncIterator<SubscribeEvent>): Promise<SubscribeEvent['event']> =>
    (await events.next()).value?.event ?? { case: undefined };

  const takeUpdate = async (events: AsyncIterator<SubscribeEvent>): Promise<ScreenUpdate> => {
    const event = await take(events);
    if (event.case !== 'screenUpdate') throw new Error(`was given ${event.case}`);
    return event.value;
  };

  describe('commands', () => {
    it('sends a list, then commands, alone or beside other events, with one exit', async () => {
      const session = await driver.spawn({ program: 'cat' });
      const all = { includeCommands: true, includeEvents: true, includeScreenUpdates: true };
      const streams = [{ includeCommands: true }, all].map((wish) =>
        client.subscribe({ name: session.name, ...wish })[Symbol.asyncIterator](),
      );
      const counts = streams.map(() => new Map<string, number>());
      const until = async (index: number, last: string) => {
        for (;;) {
          const events = streams[index] as AsyncIterator<SubscribeEvent>;
          const { case: kind = '' } = await take(events);
          counts[index]?.set(kind, (counts[index]?.get(kind) ?? 0) + 1);
          if (kind === last || kind === '') return;
        }
      };
      await until(0, 'commands');
      await until(1, 'commands');
      const command = { line: 'make' };
      await served.local.report(session, { state: 'busy', agent: 'x', command });
      await until(0, 'command');
      await until(1, 'command');
      await served.local.kill(session);
      await until(0, 'sessionExited');
      await until(1, 'sessionExited');
      expect(await Promise.all(streams.map((each) => each.next()))).toEqual([
        { done: true, value: undefined },
        { done: true, value: undefined },
      ]);
      // The turn of the agent ends with its program.
      expect([...(counts[0] ?? [])]).toEqual([
        ['commands', 1],
        ['command', 2],
        ['sessionExited', 1],
      ]);
      expect(counts[1]?.get('commands')).toBe(1);
      expect(counts[1]?.get('sessionExited')).toBe(1);
      expect(counts[1]?.get('state')).toBe(1);
    });
  });

  describe('screens', () => {
    it('sends the rows that have changed, with the revision of the change', async () => {
      const session = await driver.ready(
        `stty -echo; echo ready; read -r _; printf '\\033[5;1Hfive\\033[9;1Hnine'; read -r _`,
        { size: { cols: 20, rows: 10 } },
      );
      const request = { name: session.name, includeScreenUpdates: true, changedRowsOnly: true };
      const events = client.subscribe(request)[Symbol.asyncIterator]();
      const first = await takeUpdate(events);
      expect([first.full, textOf(first).length, textOf(first)[0]]).toEqual([true, 10, 'ready']);
      await served.local.sendText(session, '\r');
      const rows: [number, string][] = [];
      while (rows.length < 2) {
        const update = await takeUpdate(events);
        expect([update.full, update.skipped]).toEqual([false, 0]);
        const texts = textOf(update);
        rows.push(...update.changedRows.map((row, at): [number, string] => [row, texts[at] ?? '']));
        const { revision } = await served.local.info(session);
        expect(Number(update.screen?.revision)).toBeLessThanOrEqual(revision);
      }
      expect(rows).toEqual([
        [4, 'five'],
        [8, 'nine'],
      ]);
      await served.local.resize(session, { cols: 30, rows: 5 });
      expect(await takeUpdate(events)).toMatchObject({ full: true, screen: { cols: 30, rows: 5 } });
      await events.return?.();
    });

    it('[S3.26] of a slow client skips to the newest, and counts the dropped ones', async () => {
      // More screens than are queued, and more bytes than the connection buffers.
      const frames = 60;
      const session = await driver.ready(
        'stty -echo; echo ready; while read -r i; do seq $i $((i + 40)); done; printf END; exec sleep 1000',
        { size: { cols: 200, rows: 40 } },
      );
      const request = { name: session.name, includeScreenUpdates: true };
      const events = client.subscribe(request)[Symbol.asyncIterator]();
      await takeUpdate(events);
      // The next screen is painted when this one is seen, however fast the machine is.
      for (let frame = 1; frame <= frames; frame++) {
        const wait = { match: [`^${frame + 40}$`] };
        await served.local.sendText(session, `${frame}\n`, { wait });
      }
      await served.local.sendKeys(session, ['ctrl+d'], { wait: { screen: ['^END'] } });
      const updates: ScreenUpdate[] = [];
      do updates.push(await takeUpdate(events));
      while (textOf(updates.at(-1) as ScreenUpdate).at(-1) !== 'END');
      const skipped = updates.reduce((sum, each) => sum + each.skipped, 0);
      expect(skipped).toBeGreaterThan(0);
      expect(updates.length).toBeLessThan(frames);
      const revisions = updates.map(({ screen }) => Number(screen?.revision));
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      await events.return?.();
    });

    it('sends nothing when the same screen is painted again', async () => {
      const session = await driver.ready(
        `stty -echo; echo ready; read -r _; printf '\\033[Hready\\r\\n'; printf '\\033[3;1H'; read -r _`,
      );
      const request = { name: session.name, includeScreenUpdates: true };
      const events = client.subscribe(request)[Symbol.asyncIterator]();
      expect((await takeUpdate(events)).screen?.cursorY).toBe(1);
      await served.local.sendText(session, '\r');
      // What is read in parts may be told in parts.
      let update = await takeUpdate(events);
      for (; update.screen?.cursorY !== 2; update = await takeUpdate(events))
        expect(update.changedRows).toEqual([]);
      expect(update.changedRows).toEqual([]);
      await events.return?.();
    });
  });

  describe('raw output', () => {
    it('sends every later byte, and the exit', async () => {
      const session = await driver.ready('stty -echo; echo ready; read -r _; seq 1 100000; exit 7');
      const request = { name: session.name, includeRawOutput: true };
      const events = client.subscribe(request)[Symbol.asyncIterator]();
      const first = events.next();
      // Accepted before the next call, because it was received first.
      await client.list({});
      await served.local.sendText(session, '\r');
      const chunks: Uint8Array[] = [];
      const cases = new Set<SubscribeEvent['event']['case']>();
      let last: SubscribeEvent['event'] = { case: undefined };
      for (let { value, done } = await first; !done; { value, done } = await events.next()) {
        last = value.event;
        cases.add(last.case);
        if (last.case === 'rawOutput') chunks.push(last.value);
      }
      const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\r\n`).join('');
      expect(Buffer.concat(chunks).toString('latin1')).toBe(expected);
      expect(last).toMatchObject({ case: 'sessionExited', value: { exitCode: 7 } });
      // A state is sent only in place of output that was not read.
      expect([...cases]).toEqual(['rawOutput', 'sessionExited']);
    });

    it('that a client does not read in time is replaced by the state after it', async () => {
      // More than waits for a client; long lines cost little.
      const flood = 'yes "$(printf %078d 0)" | head -n 140000; echo flooded';
      const session = await driver.ready(
        `stty -echo; echo ready; read -r _; ${flood}; read -r _; echo over; read -r _`,
      );
      const request = { name: session.name, includeRawOutput: true };
      const events = client.subscribe(request)[Symbol.asyncIterator]();
      const first = events.next();
      await client.list({});
      const flooded = served.local.wait(session, { match: ['^flooded$'], timeoutMs: 120_000 });
      await served.local.sendText(session, '\r');
      expect((await flooded).outcome).toBe('matched');
      let bytes = 0;
      let event = (await first).value?.event;
      for (; event?.case === 'rawOutput'; event = await take(events)) bytes += event.value.length;
      if (event?.case !== 'state') throw new Error(`was given ${event?.case}`);
      const { cols, rows, firstLine, dump } = event.value;
      const terminal = new Terminal({
        size: { cols, rows },
        firstLine: Number(firstLine),
        scrollback: defaultScrollback,
      });
      terminal.feed(dump);
      expect(bytes).toBeLessThan(4_000_000);
      const over = served.local.wait(session, { match: ['^over'] });
      await served.local.sendText(session, '\r');
      await over;
      const ours = new SubscribedTerminal(await served.local.subscribe(session));
      await ours.take(1);
      while (!terminal.screenText().includes('over')) {
        const next = await take(events);
        if (next.case === 'rawOutput') terminal.feed(next.value);
      }
      expectSameTerminal(terminal, ours.terminal);
      await events.return?.();
    });
  });

  it('nothing else sends the exit', async () => {
    const session = await driver.ready('echo ready; exit 3');
    const events = [];
    for await (const { event } of client.subscribe({ name: session.name })) events.push(event);
    expect(events).toMatchObject([{ case: 'sessionExited', value: { exitCode: 3 } }]);
  });

  it('a removed session ends with the exit', async () => {
    const session = await driver.ready('stty -echo; echo ready; exec cat');
    const request = { name: session.name, includeScreenUpdates: true, includeEvents: true };
    const cases: (string | undefined)[] = [];
    const removal = { done: false };
    for await (const { event } of client.subscribe(request)) {
      cases.push(event.case);
      if (removal.done) continue;
      removal.done = true;
      served.local.remove(session, { force: true });
    }
    expect(cases.at(-1)).toBe('sessionExited');
    expect(cases).toContain('screenUpdate');
  });

  it('an unknown session fails', async () => {
    const events = client.subscribe({ name: 'none' })[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject({ code: Code.NotFound });
  });
});
