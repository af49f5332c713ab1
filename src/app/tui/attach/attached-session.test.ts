import { describe, expect, it, vi } from 'vitest';
import { deferred, Emitter, encodeUtf8 } from '#base';
import {
  type Coordinator,
  cellsText,
  type KeyPress,
  replacesLabel,
  type SessionInfo,
  type Subscription,
  silentReason,
  type Viewing,
  VtrError,
} from '#model';
import { type Picture, TtyDecoder, type TtyEvent } from '#tty';
import { Keys } from '../keys.ts';
import type { Tty } from '../tty-screen/tty.ts';
import { AttachedSession } from './attached-session.ts';
import type { RemainOnExit } from './scene.ts';

const session = { name: 'build', id: '1' };
const size = { cols: 70, rows: 5 };

/** A session that is attached; `typed` is sent by the person's terminal. */
function attached(
  connect: () => Promise<Coordinator>,
  responds = async () => true,
  remains?: RemainOnExit,
) {
  const events = new Emitter<readonly TtyEvent[]>((error) => {
    throw error;
  });
  const ignored = () => {};
  let draw: (() => Picture) | null = null;
  const show = (next: () => Picture) => {
    draw = next;
  };
  const tty = {
    size,
    show,
    setModes: ignored,
    ring: vi.fn(),
    leave: ignored,
    onEvents: (listener: (all: readonly TtyEvent[]) => void) => events.on(listener),
    onResize: () => ({ dispose: ignored }),
  } as unknown as Tty;
  const attachedSession = new AttachedSession(tty, {
    link: { name: 'default', socket: '', connect, responds },
    session,
    person: 'ann',
    settings: {
      keys: new Keys({ key: 'b', ctrl: true }),
      status: 'off',
      clipboard: false,
      bell: 'attached',
      notifications: 'pass',
      endsWithProgram: false,
      remains,
    },
  });
  const end = attachedSession.run();
  return {
    end,
    type: (text: string) => events.emit(new TtyDecoder().feed(encodeUtf8(text))),
    /** The first and the last row that the person sees. */
    top: () => cellsText(draw?.().rows[0] ?? []),
    said: () => cellsText(draw?.().rows.at(-1) ?? []).trim(),
  };
}

/**
 * A coordinator that only has the session, and notes the keys that it is sent.
 *
 * @param listed what it tells of its sessions
 */
function coordinator(listed: object = { type: '' }) {
  const keys: string[] = [];
  async function* first<T>(event: T) {
    yield event;
    await new Promise(() => {});
  }
  const never = { dispose() {} };
  const snapshot = { type: 'snapshot', size, firstLine: 0, dump: new Uint8Array(0), offset: 0 };
  const state = { drives: true, driver: null, epoch: 2, viewers: [], session: size };
  const calls = {
    info: async () =>
      ({ ...session, state: 'running', exitStatus: null }) as unknown as SessionInfo,
    view: async () =>
      ({
        dispose: async () => {},
        id: 'v',
        [Symbol.asyncIterator]: () => first(state),
      }) as unknown as Viewing,
    subscribe: async () =>
      ({ ...never, [Symbol.asyncIterator]: () => first(snapshot) }) as unknown as Subscription,
    watchSessions: async () => ({ ...never, [Symbol.asyncIterator]: () => first(listed) }),
    sendKeys: async (_: unknown, presses: readonly KeyPress[]) => {
      keys.push(...presses.map(({ key }) => key));
      return { driverEpoch: 2 };
    },
    close: async () => {},
  };
  return { keys, coordinator: calls as unknown as Coordinator };
}

it('what is typed before the session is joined is sent then, however long that takes', async () => {
  const { keys, coordinator: joined } = coordinator();
  let connect: (to: Coordinator) => void = () => {};
  const connecting = new Promise<Coordinator>((resolve) => {
    connect = resolve;
  });
  const reach = vi.fn(() => connecting);
  const person = attached(reach);
  await vi.waitFor(() => expect(reach).toHaveBeenCalled(), 10_000);
  vi.useFakeTimers();
  person.type('ab');
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  person.type('c');
  connect(joined);
  await vi.waitFor(() => expect(keys).toEqual(['a', 'b', 'c']));
  person.type('\x02d');
  expect(await person.end).toEqual({ type: 'detached', session: 'build' });
});

it('what is typed right before detaching is sent, and what is typed after it is not', async () => {
  const { keys, coordinator: joined } = coordinator();
  const person = attached(async () => joined);
  person.type('a');
  await vi.waitFor(() => expect(keys).toEqual(['a']));
  person.type('bc\x02dq');
  expect(await person.end).toEqual({ type: 'detached', session: 'build' });
  expect(keys).toEqual(['a', 'b', 'c']);
});

it('says so if what was typed before detaching is not sent in time', async () => {
  const { keys, coordinator: joined } = coordinator();
  const person = attached(async () => joined);
  person.type('a');
  await vi.waitFor(() => expect(keys).toEqual(['a']));
  Object.assign(joined, { sendKeys: () => new Promise(() => {}) });
  person.type('b\x02d');
  expect(await person.end).toEqual({ type: 'detached', session: 'build', isUnsent: true });
});

it('says so if what was typed could not be sent', async () => {
  const gone = new VtrError('SESSION_NOT_FOUND', 'session build not found');
  const person = attached(async () => {
    person.type('ab');
    throw gone;
  });
  expect(await person.end).toMatchObject({
    reason: `${gone.message}; what was typed was not sent`,
  });
  const waiting = attached(() => new Promise(() => {}));
  waiting.type('ab\x02d');
  expect(await waiting.end).toEqual({ type: 'detached', session: 'build', isUnsent: true });
});

it('says that keys were lost while the coordinator was suspended, at once and when it goes on', async () => {
  const { keys, coordinator: joined } = coordinator();
  let answers = (_: boolean): void => {};
  const responds = () =>
    new Promise<boolean>((resolve) => {
      answers = resolve;
    });
  const person = attached(async () => joined, responds);
  person.type('a');
  await vi.waitFor(() => expect(keys).toEqual(['a']));
  const silent = { details: { reason: silentReason } };
  const { sendKeys } = joined;
  Object.assign(joined, {
    sendKeys: () => Promise.reject(new VtrError('UNAVAILABLE', 'it does not respond', silent)),
  });
  person.type('b');
  await vi.waitFor(() => expect(person.said()).toBe('not sent: the coordinator does not answer'));
  const patience = { timeout: 30_000 };
  const says = (text: string, answer: boolean) =>
    vi.waitFor(() => {
      answers(answer);
      expect(person.said()).toContain(text);
    }, patience);
  await says('the coordinator is not answering', false);
  await says('answers again; the last keys may not have arrived', true);
  Object.assign(joined, { sendKeys });
  person.type('c\x02d');
  await person.end;
  expect(keys).toEqual(['a', 'c']);
});

it('shows what it waits for where a session is long on its way', async () => {
  const person = attached(() => new Promise(() => {}));
  await vi.waitFor(() => expect(person.top()).toBe('attaching to build …'));
  person.type('\x02d');
  await person.end;
});

it('goes on with the session that has taken the place of a removed one, and only with that', async () => {
  const other = { name: 'other', id: '2' };
  const next = { name: 'build', id: '3', labels: { [replacesLabel]: session.id } };
  const { coordinator: joined } = coordinator({ type: 'sessions', sessions: [other, next] });
  expect(await attached(async () => joined).end).toEqual({
    type: 'other',
    session: { name: 'build', id: '3' },
    as: 'auto',
  });
  const { coordinator: alone } = coordinator({
    type: 'sessions',
    sessions: [other, { ...next, labels: { [replacesLabel]: '4' } }],
  });
  const person = attached(async () => alone);
  person.type('\x02d');
  expect(await person.end).toMatchObject({ type: 'detached' });
});

describe('when the program has ended', () => {
  /** What becomes of the session, after its person typed `typed`: how attaching ended, and whether it was removed. */
  async function exited(remains: RemainOnExit, typed: string, code: number, failure?: VtrError) {
    const { keys, coordinator: joined } = coordinator();
    const exit = deferred();
    const remove = vi.fn(async () => {
      if (failure !== undefined) throw failure;
    });
    async function* events() {
      yield { type: 'snapshot', size, firstLine: 0, dump: new Uint8Array(0), offset: 0 };
      await exit.promise;
      yield { type: 'exit', status: { code, signal: null } };
    }
    const subscription = { dispose() {}, [Symbol.asyncIterator]: () => events() };
    const ends = { ...joined, remove, subscribe: async () => subscription };
    const person = attached(async () => ends as unknown as Coordinator, undefined, remains);
    person.type(typed);
    await vi.waitFor(() => expect(keys.join('')).toBe(typed), 10_000);
    exit.resolve();
    const shown = vi.waitFor(() => expect(person.said()).toContain('exited'), 10_000);
    const end = await Promise.race([person.end, shown.then(() => null)]);
    // Work in its worktree stays.
    for (const words of remove.mock.calls) expect(words).toEqual([session, { keepsWork: true }]);
    return { end, isRemoved: remove.mock.calls.length > 0 };
  }

  const gone = { end: { type: 'ended', session: 'build', status: { code: 0, signal: null } } };
  const stays = { end: null, isRemoved: false };

  it.each([
    ['on', 'ab', 0, stays],
    ['off', '', 0, stays],
    ['off', 'ab', 0, { ...gone, isRemoved: true }],
    ['failed', 'ab', 0, { ...gone, isRemoved: true }],
    ['failed', 'ab', 1, stays],
  ] as const)(
    'remain_on_exit = %s, after "%s" and status %i',
    async (remains, typed, code, then) => {
      expect(await exited(remains, typed, code)).toMatchObject(then);
    },
  );

  it.each([
    ['SESSION_NOT_FOUND', gone],
    ['WORK_LEFT', { end: null }],
  ] as const)('and it cannot be removed because of %s', async (code, then) => {
    const failure = new VtrError(code, 'why');
    expect(await exited('off', 'ab', 0, failure)).toMatchObject(then);
  });
});
