import { afterEach, describe, expect, it } from 'vitest';
import { decodeWork, ignored, showWorkIn, type Work, workBytes } from '#base';
import { FakePtyHost } from '../../test/support/pty/fake-pty-host.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { LocalCoordinator } from './local-coordinator.ts';

afterEach(() => showWorkIn(null));

/** Shows what is worked on from now on, in the order in which it begins. */
function worked(): { readonly memory: Uint8Array; readonly begun: Work[] } {
  const memory = new Uint8Array(workBytes);
  const begun: Work[] = [];
  const watched = new Proxy(memory, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => {
      Reflect.set(target, key, value);
      const work = key === '0' ? decodeWork(target) : null;
      if (work !== null) begun.push(work);
      return true;
    },
  });
  showWorkIn(watched);
  return { memory, begun };
}

describe('the work that a coordinator shows', () => {
  it('is that of one session at a time, in all of its turns, and ends', async () => {
    const clock = new VirtualClock();
    const host = new FakePtyHost();
    const coordinator = new LocalCoordinator({ ptyHost: host, clock });
    for (const name of ['one', 'two']) await coordinator.spawn({ name, program: '/bin/fake' });
    const { id } = await coordinator.info('two');
    const { memory, begun } = worked();
    const during = async (act: () => unknown) => {
      const acting = act();
      for (let turn = 0; turn < 20; turn++) {
        clock.advance(100);
        clock.settleIo();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await acting;
      expect(decodeWork(memory)).toBeNull();
      const names = begun.splice(0).map(({ kind, session }) => `${kind} ${session}`);
      return [...new Set(names)].sort();
    };
    // Each session is saved once.
    expect(await during(() => {})).toEqual(['save one', 'save two']);
    expect(await during(() => host.pty(id).output('x\r\n'.repeat(10_000)))).toEqual([
      'output two',
      'save two',
    ]);
    expect(await during(() => coordinator.search('two', { pattern: 'y' }))).toEqual([
      'call two',
      'search two',
    ]);
    expect(await during(() => coordinator.screen('one'))).toEqual(['call one']);
    expect(await during(() => coordinator.screen('two', { at: '-0s' }))).toEqual([
      'call two',
      'recording two',
    ]);
    const failing = () => ignored(coordinator.screen('one', { at: 'x' }), 'it must fail');
    expect(await during(failing)).toEqual(['call one', 'recording one']);
    await coordinator.close();
  });
});
