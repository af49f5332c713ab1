import { describe, expect, it } from 'vitest';
import { LeftSession, LostPty, nothingLearned } from '#session';
import { verify } from '#vt/checks';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { type Checkpoint, SavedSession } from '../../../test/support/session/left-session.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { decodeParts, encodePart, joinParts, jsonPart, partKinds } from './container.ts';
import type { SessionState } from './session-state.ts';

const size = { cols: 20, rows: 4 };
const prompt = '\x1b]133;A\x07$ \x1b]133;B\x07';
const begun = 'make\r\n\x1b]133;C\x07';
const ended = '\x1b]133;D;0\x07';

const saved = () => new SavedSession({ size });

/** Without a part of the state, as if it was damaged. */
function without(checkpoint: Checkpoint, kind: number): Checkpoint {
  const { parts } = decodeParts(checkpoint.state.bytes);
  const left = parts.filter((part) => part.kind !== kind).map((part) => encodePart(part));
  return { ...checkpoint, state: { ...checkpoint.state, bytes: joinParts(left) } };
}

type LostState = Omit<Checkpoint, 'state'> & { readonly state: Checkpoint['state'] | null };

function lost(first: SavedSession, checkpoint: LostState | null, exitedAtMs: number) {
  const clock = new VirtualClock();
  clock.advance(60_000);
  const facts = first.saving.facts({ order: 1, formerNames: [], usedAtMs: null });
  const offset = checkpoint?.state?.offset ?? 0;
  const left = new LeftSession(
    {
      pty: new LostPty({ offset, exitedAtMs }),
      saved: {
        facts,
        state: checkpoint?.state ?? null,
        segments: checkpoint?.segments ?? [],
      },
      answeredTo: offset,
      outputEnd: offset,
      lastEnterAt: 0,
      learned: nothingLearned,
      replayed: Promise.resolve(),
      secrets: [],
      exited: { status: { code: null, signal: 'SIGHUP' }, atMs: exitedAtMs },
    },
    { clock, onFault() {}, endedBy: { reason: 'reboot' } },
  );
  return { left, clock };
}

describe('the replay of a session', () => {
  it('is no news for observers: no bell, no title, no output, but the exit', async () => {
    const first = saved();
    const checkpoint = first.checkpoint();
    first.output('\x07\x1b]0;new\x07text');
    const { session, events } = await first.continued(checkpoint);
    expect(events).toEqual([]);
    expect(session.info().title).toBe('new');
    first.exit({ code: 3, signal: null });
    const exited = await first.continued(checkpoint);
    expect(exited.events).toEqual(['exit']);
    expect(exited.session.info()).toMatchObject({ state: 'exited', exitStatus: { code: 3 } });
  });

  it('answers the queries that were not answered, once', async () => {
    const first = saved();
    const checkpoint = first.checkpoint();
    first.output('\x1b[5n');
    const answeredTo = first.pty.outputEnd;
    first.output('text \x1b[6n');
    const { pty } = await first.continued(checkpoint, answeredTo);
    expect(pty.written).toEqual(['\x1b[1;6R']);
    expect(pty.answers).toEqual([first.pty.outputEnd]);
    expect(first.pty.answers).toEqual([4, first.pty.outputEnd]);
  });

  it('sends the replies that were not written when the state was saved, first', async () => {
    const first = saved();
    first.output('text \x1b[6n');
    const checkpoint = first.checkpoint();
    first.output('\x1b[5n');
    const { pty } = await first.continued(checkpoint, 0);
    expect(pty.written).toEqual(['\x1b[1;6R', '\x1b[0n']);
    expect((await first.continued(checkpoint, first.pty.outputEnd)).pty.written).toEqual([]);
  });

  it('does not report changes to save until it is over', async () => {
    const first = saved();
    const checkpoint = first.checkpoint();
    for (let count = 0; count < 3; count++) first.output('x');
    const { session, pty } = await first.continued(checkpoint);
    const changes: string[] = [];
    session.saving?.onChange((what) => changes.push(what));
    pty.output('y');
    session.name = 'other';
    session.changeLabels({ a: 'b' });
    await session.sendText('z', {});
    await session.end({}, { reason: 'idle' });
    expect(changes).toEqual(['state', 'facts', 'facts', 'state', 'facts', 'facts', 'state']);
  });

  it('has the times of the output, not of the restart', async () => {
    const first = saved();
    first.output(prompt);
    first.pass(100);
    first.output(begun);
    const checkpoint = first.checkpoint();
    first.pass(2000);
    first.output(`one\r\n${ended}`);
    const endedAtMs = first.clock.wallMs();
    first.pass(60_000);
    const { session } = await first.continued(checkpoint);
    const [command] = session.commands({}).commands;
    expect(command).toMatchObject({ durationMs: 2000, endedAtMs, startedAtMs: endedAtMs - 2000 });
    expect(session.view.lastOutputAtMs).toBe(endedAtMs);
  });

  it('ends an open frame a second after it began', async () => {
    const first = saved();
    first.output('\x1b[?2026hframe');
    first.pass(600);
    const { session, clock } = await first.continued(first.checkpoint());
    clock.advance(399);
    expect(session.screen().text[0]).toBe('');
    clock.advance(1);
    expect(session.screen().text[0]).toBe('frame');
  });
});

describe('input that is saved', () => {
  it('has the texts that were echoed, and not a password', async () => {
    const first = saved();
    first.output('$ ');
    first.type('su\r', 'su\r\nPassword: ');
    first.type('hunter2\r', '\r\n# ');
    first.type('id\rpwd\r', 'id\r\nuid=0\r\n# pwd\r\n/\r\n# ');
    first.type('ls', '');
    const checkpoint = first.checkpoint();
    expect(Buffer.from(checkpoint.state.bytes).includes('hunter2')).toBe(false);
    const { session } = await first.continued(checkpoint);
    expect(session.view.inputs.map(({ text }) => text)).toEqual(['su\r', '', 'id\r', '']);
    expect(session.view.inputCount).toBe(4);
    expect(session.view.lastInputAt).toBe(first.session.view.lastInputAt);
  });

  it('has no first character of a password that a program reads by keys', () => {
    const first = saved();
    first.output('Password: ');
    for (const key of 'qz9!') first.type(key, '');
    first.output('\r\nok');
    const { parts } = decodeParts(first.checkpoint().state.bytes);
    const { view } = jsonPart(parts, partKinds.session) as Pick<SessionState, 'view'>;
    expect(view.inputs.map(({ text }) => text)).toEqual(['', '', '', '']);
    expect(view.typedIn?.firsts).toBe('');
  });
});

describe('a session whose saved state is damaged', () => {
  it.each(Object.entries(partKinds).filter(([name]) => name !== 'lines'))(
    'is restored partly without the %s',
    async (_name, kind) => {
      const first = saved();
      first.output(prompt);
      for (let count = 0; count < 70; count++) first.output(`${begun}1\r\n2\r\n${ended}${prompt}`);
      first.mark();
      const checkpoint = without(first.checkpoint(), kind);
      first.output(`${begun}last\r\n${ended}${prompt}`);
      const { session, faults } = await first.continued(checkpoint);
      expect(session.info().restored).toBe('partly');
      expect(first.unread(session)).toContain('last');
      expect(session.commands({}).commands.at(-1)).toMatchObject({ exitCode: 0 });
      expect(verify(session.view.terminal)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it('stays restored partly after further restarts', async () => {
    const first = new SavedSession({ size }, { restored: 'partly' });
    first.output('text');
    const { session } = await first.continued(first.checkpoint());
    expect(session.info().restored).toBe('partly');
  });

  it('is restored partly without anything', async () => {
    const first = saved();
    first.output('1\r\n2\r\n3\r\n4\r\n5\r\n');
    const checkpoint = first.checkpoint();
    const bytes = new Uint8Array(3);
    first.output('last');
    const { session } = await first.continued({
      ...checkpoint,
      state: { ...checkpoint.state, bytes },
      segments: [],
    });
    expect(session.info().restored).toBe('partly');
    expect(session.screen().text.join('')).toContain('last');
  });

  it('is restored partly without a segment of lines', async () => {
    const first = saved();
    first.output('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\n');
    const checkpoint = first.checkpoint(2);
    const [one, , ...others] = checkpoint.segments;
    const { session } = await first.continued({
      ...checkpoint,
      segments: one ? [one, ...others] : [],
    });
    expect(session.info().restored).toBe('partly');
    expect(session.readLines({}).lines.map(({ text }) => text)).toEqual(['5', '6', '7', '8', '9']);
  });

  it('is replayed from its first byte if none was saved, exactly', async () => {
    const first = saved();
    first.output(prompt);
    first.output(`${begun}1\r\n`);
    const { session, left } = await first.continued(null);
    expect(session.info().restored).toBe('exactly');
    expect(first.noticed(session)).toEqual(first.noticed(first.session));
    expect(session.facts.restored).toBe('exactly');
    expect(left.unreadBytes).toBe(first.pty.outputEnd);
  });
});

describe('a session whose host is lost', () => {
  it.each<[string, (state: Checkpoint['state']) => Checkpoint['state'] | null]>([
    ['has no state', () => null],
    ['has a cut state', (state) => ({ ...state, bytes: state.bytes.subarray(0, 30) })],
    [
      'has a state with a wrong bit',
      ({ bytes, ...state }) => ({
        ...state,
        bytes: bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
      }),
    ],
  ])('has the lines above its screen if it %s', async (_what, damaged) => {
    const first = saved();
    first.output('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n');
    const checkpoint = first.checkpoint(2);
    const state = damaged(checkpoint.state);
    const { left } = lost(first, { ...checkpoint, state }, 5);
    const session = left.restore();
    await session.replayed;
    const texts = session.readLines({}).lines.map(({ text }) => text);
    expect(texts.slice(0, 5)).toEqual(['1', '2', '3', '4', '5']);
    expect(session.info()).toMatchObject({ state: 'exited', restored: 'partly' });
  });

  it('has ended, with its screen, lines, commands and the reason', async () => {
    const first = saved();
    first.output(prompt);
    first.output(`${begun}1\r\n2\r\n3\r\n4\r\n5\r\n`);
    const startedAtMs = first.clock.wallMs();
    const { left } = lost(first, first.checkpoint(), startedAtMs + 5000);
    expect(left.info()).toMatchObject({
      name: 'fake',
      state: 'exited',
      pid: 4711,
      program: '/bin/fake',
      endedBy: { reason: 'reboot' },
      exitedAtMs: startedAtMs + 5000,
    });
    const session = left.restore();
    await session.replayed;
    expect(session.info()).toMatchObject({ ...left.info(), restored: 'exactly' });
    expect(session.readLines({}).lines.map(({ text }) => text)).toEqual([
      ...['$ make', '1', '2', '3', '4', '5'],
    ]);
    expect(session.commands({}).commands).toMatchObject([{ state: 'ended', durationMs: 5000 }]);
    const [command] = session.commands({}).commands;
    const output = command && session.view.outputs.lines(command);
    expect(output?.parts.map(({ from, to }) => [from, to])).toEqual([[1, 6]]);
  });

  it('that had exited keeps its status and has no other reason', async () => {
    const first = saved();
    first.output('text');
    first.exit({ code: 3, signal: null });
    const { left } = lost(first, first.checkpoint(), first.clock.wallMs() + 5000);
    const session = left.restore();
    await session.replayed;
    expect(session.info()).toEqual({ ...first.session.info(), restored: 'exactly' });
    expect(session.info().exitStatus).toEqual({ code: 3, signal: null });
  });

  it('is restored partly if no state was saved', async () => {
    const { left } = lost(saved(), null, 1);
    const session = left.restore();
    await session.replayed;
    expect(session.info()).toMatchObject({ state: 'exited', restored: 'partly' });
  });

  it('is restored partly if lines are missing that later output would have dropped', async () => {
    const first = new SavedSession({ size, scrollback: { maxLines: 5, maxBytes: 1 << 20 } });
    first.output('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n');
    const checkpoint = { ...first.checkpoint(), segments: [] };
    first.output('more\r\n'.repeat(50));
    const { left } = lost(first, checkpoint, 1);
    const session = left.restore();
    await session.replayed;
    expect(session.info().restored).toBe('partly');
  });

  it('while its coordinator runs, is the reason of the end', () => {
    const { session, pty } = fakeSession();
    pty.isLost = true;
    pty.announceExit({ code: null, signal: 'SIGHUP' });
    expect(session.info().endedBy).toEqual({ reason: 'host_lost' });
  });
});

describe('the output of a session', () => {
  it('that exited has the time of its exit, not of its announcement', () => {
    const { session, pty, clock } = fakeSession();
    pty.output(`${prompt}${begun}`);
    clock.advance(10_000);
    pty.exitedAtMs = clock.wallMs() - 7000;
    pty.announceExit({ code: 0, signal: null });
    expect(session.info().exitedAtMs).toBe(clock.wallMs() - 7000);
    expect(session.commands({}).commands).toMatchObject([{ durationMs: 3000 }]);
  });

  it('has the time at which it was read', () => {
    const { session, pty, clock } = fakeSession();
    const times: number[] = [];
    session.view.onEvent(({ atMs }) => times.push(atMs));
    clock.advance(5000);
    pty.output('x', { wallMs: clock.wallMs() - 1000, bootMs: clock.nowMs() - 1000 });
    expect(times).toEqual([clock.wallMs() - 1000]);
    expect(session.view.lastOutputAtMs).toBe(clock.wallMs() - 1000);
  });
});
