import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Coordinator, VtrError } from '#model';
import { OwnCoordinator } from './own-coordinator.ts';

let directory: string;
let socket: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vtr-own-'));
  socket = join(directory, 'vtr.sock');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Nobody listens. An error of another bundle, whose class is another one. */
const refused = Object.assign(new Error('cannot be reached'), {
  name: 'VtrError',
  code: 'UNAVAILABLE',
  details: { reason: 'ECONNREFUSED' },
});
/** What fails on its way: the reason is in the text alone. */
const lost = new VtrError('UNAVAILABLE', 'closed, after ECONNREFUSED');
const failing = (error: Error) => async () => Promise.reject(error);

describe('without a daemon', () => {
  const starts: string[] = [];
  const own = () =>
    new OwnCoordinator({
      client: 'mcp',
      socket,
      reach: async (mayStart) => {
        if (mayStart === 'if_left') return false;
        starts.push('started');
        throw new Error('cannot be started');
      },
    });

  beforeEach(() => {
    starts.length = 0;
  });

  it('calls about sessions that exist fail, and start none', async () => {
    const { coordinator } = own();
    for (const call of [coordinator.end('x'), coordinator.list(), coordinator.read('x')]) {
      await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    expect(await own().reach()).toBeNull();
    expect(starts).toEqual([]);
  });

  it.each([
    ['spawn', (to: Coordinator) => to.spawn({ program: 'true' })],
    ['publish', (to: Coordinator) => to.publish({ by: 'an agent' })],
    ['openLease', (to: Coordinator) => to.openLease()],
  ])('%s starts one', async (_name, call) => {
    await expect(call(own().coordinator)).rejects.toThrow('cannot be started');
    expect(starts).toEqual(['started']);
  });
});

describe('with a daemon', () => {
  /** Daemons that can be killed, started one after the other; `info` and `openLease` return the number of theirs. */
  function daemons() {
    let started = 0;
    let running = 0;
    const events: string[] = [];
    let isLeft = false;
    const startDaemon = async () => {
      await setImmediate();
      started += 1;
      running = started;
      events.push(`start ${running}`);
      writeFileSync(socket, '');
    };
    const own = new OwnCoordinator({
      client: 'mcp',
      socket,
      reach: async (mayStart) => {
        if (mayStart === 'if_left' && !isLeft) return false;
        await startDaemon();
        return true;
      },
      connect: async () => {
        if (running === 0) throw refused;
        const number = running;
        events.push(`connect ${number}`);
        const answer = async () => {
          if (running === number) return { id: String(number) };
          throw refused;
        };
        const close = async () => void events.push(`close ${number}`);
        const calls = {
          list: answer,
          info: answer,
          openLease: answer,
          spawn: failing(lost),
          close,
        };
        return calls as unknown as Coordinator;
      },
    });
    const kill = () => {
      running = 0;
    };
    /** Its sessions outlive it. */
    const killAlone = () => {
      running = 0;
      isLeft = true;
    };
    return { own, events, kill, killAlone };
  }

  it('calls made at the same time share one daemon and one connection', async () => {
    const { own, events } = daemons();
    await Promise.all([own.start(), own.coordinator.openLease(), own.start()]);
    expect(await own.reach()).toBe(own.coordinator);
    expect(events).toEqual(['start 1', 'connect 1']);
  });

  it.each(['reach', 'start'] as const)('`%s` finds one that runs, and calls follow', async (by) => {
    const { own } = daemons();
    await own.start();
    await own[by]();
    expect((await own.coordinator.info('x')).id).toBe('1');
  });

  it('a daemon that was killed is replaced by the call that finds out', async () => {
    const { own, events, kill } = daemons();
    await own.coordinator.openLease();
    kill();
    expect((await own.coordinator.openLease()).id).toBe('2');
    expect(events).toEqual(['start 1', 'connect 1', 'close 1', 'start 2', 'connect 2']);
  });

  it('a daemon that was killed is replaced by `start`', async () => {
    const { own, events, kill } = daemons();
    await own.start();
    kill();
    await own.start();
    expect((await own.coordinator.info('x')).id).toBe('2');
    expect(events).toEqual(['start 1', 'connect 1', 'close 1', 'start 2', 'connect 2']);
  });

  it('a daemon that was killed is not replaced by `reach`, or by a call about its session', async () => {
    const { own, events, kill } = daemons();
    await own.start();
    kill();
    await expect(own.coordinator.info('x')).rejects.toBe(refused);
    await expect(own.coordinator.info('x')).rejects.toBe(refused);
    expect(await own.reach()).toBeNull();
    expect(events).toEqual(['start 1', 'connect 1', 'close 1']);
  });

  it('a daemon that was killed and left its sessions is replaced by any call, and by `reach`', async () => {
    const { own, events, killAlone } = daemons();
    await own.start();
    killAlone();
    expect((await own.coordinator.info('x')).id).toBe('2');
    killAlone();
    await expect(own.coordinator.info('x')).resolves.toMatchObject({ id: '3' });
    expect(await own.reach()).toBe(own.coordinator);
    expect(events.filter((each) => each.startsWith('start'))).toEqual([
      'start 1',
      'start 2',
      'start 3',
    ]);
  });

  it('is not connected to any more once it is closed, also by calls in progress', async () => {
    const { own, events } = daemons();
    const call = own.start().then(() => own.coordinator.list());
    await own.close();
    const closed = { code: 'UNAVAILABLE', message: expect.stringMatching(/is closed$/) };
    await expect(call).rejects.toMatchObject(closed);
    await expect(own.coordinator.openLease()).rejects.toMatchObject(closed);
    await expect(own.reach()).rejects.toMatchObject(closed);
    expect(events.filter((each) => each.startsWith('connect'))).toEqual([]);
  });

  it('a call that the daemon may have received is not repeated', async () => {
    const { own, events } = daemons();
    await expect(own.coordinator.spawn({})).rejects.toBe(lost);
    expect(events).toEqual(['start 1', 'connect 1']);
  });

  it('a daemon whose socket is removed counts as ended', async () => {
    const { own, events } = daemons();
    await own.start();
    rmSync(socket);
    expect(await own.reach()).toBeNull();
    await expect(own.coordinator.info('x')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { reason: 'ENOENT', socket },
    });
    expect(events).toEqual(['start 1', 'connect 1', 'close 1']);
  });

  it('a daemon that exits right after its start is an error and is not started again', async () => {
    let starts = 0;
    const own = new OwnCoordinator({
      client: 'mcp',
      socket,
      reach: async (mayStart) => {
        if (mayStart === 'always') starts += 1;
        return mayStart === 'always';
      },
    });
    await expect(own.start()).rejects.toThrow('exited right after its start');
    expect(starts).toBe(1);
  });
});
