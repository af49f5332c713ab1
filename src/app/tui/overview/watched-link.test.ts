import { expect, it } from 'vitest';
import { deferred } from '#base';
import { type Coordinator, type FramesRequest, type SessionsWatch, VtrError } from '#model';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { CoordinatorLink } from '../coordinator-link.ts';
import { WatchedLink } from './watched-link.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const session = { name: 'work.0', id: 'a' };

/** A link to a coordinator that notes which frames it is asked for, and refuses some calls. */
function linked() {
  const clock = new VirtualClock();
  const requests: (FramesRequest | null)[] = [];
  const refusals: VtrError[] = [];
  const { promise: opened, resolve: open } = deferred();
  const watch = {
    async setFrames(frames: FramesRequest | null) {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      requests.push(frames);
    },
    dispose() {},
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
  } as unknown as SessionsWatch;
  const coordinator = {
    async watchSessions(): Promise<SessionsWatch> {
      await opened;
      return watch;
    },
    async close() {},
  } as unknown as Coordinator;
  const link = { name: 'here', connect: async () => coordinator, responds: async () => true };
  const listener = { events() {}, state() {}, lastLines() {} };
  const watched = new WatchedLink(link as unknown as CoordinatorLink, clock, listener);
  /** The requests of the preview: others have no session. */
  const previews = () => requests.filter((each) => each?.sessions.length === 1);
  return { clock, watched, refusals, previews, open };
}

it('a look that the coordinator could not be told is told again, while it is the newest', async () => {
  const { clock, watched, refusals, previews, open } = linked();
  open();
  await settled();
  const refusal = new VtrError('UNAVAILABLE', 'the coordinator does not answer');
  refusals.push(refusal, refusal);
  watched.setPreview(session, true, false);
  await settled();
  expect(previews()).toEqual([]);
  for (let tries = 0; tries < 3; tries++) {
    clock.advance(500);
    await settled();
  }
  expect(previews()).toMatchObject([{ sessions: [session], looking: true }]);
  watched.dispose();
});

it('a preview that is shown while the watch is opened has the frames of one that is shown', async () => {
  const { watched, previews, open } = linked();
  watched.setPreview(session, true, false);
  await settled();
  watched.setPreview(session, true, true);
  open();
  await settled();
  expect(previews()).toMatchObject([{ perSecond: 20 }]);
  watched.dispose();
});

it('nothing is told again by a link that was given up', async () => {
  const { clock, watched, refusals, previews, open } = linked();
  open();
  await settled();
  refusals.push(new VtrError('UNAVAILABLE', 'the coordinator does not answer'));
  watched.setPreview(session, true);
  await settled();
  watched.dispose();
  clock.advance(10_000);
  await settled();
  expect(previews()).toEqual([]);
});
