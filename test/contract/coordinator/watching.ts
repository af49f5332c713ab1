import { describe, expect, it } from 'vitest';
import {
  applyFrame,
  type Cell,
  type RowFrame,
  type SessionInfo,
  type SessionRef,
  type SessionsEvent,
  type SessionsWatch,
} from '#model';
import { testProgram } from '../../support/pty/pty-request.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

/** What a consumer of a watch knows. */
class Watcher {
  readonly watch: SessionsWatch;
  readonly #events: AsyncIterator<SessionsEvent>;
  readonly infos = new Map<string, SessionInfo>();
  readonly frames = new Map<string, RowFrame>();
  readonly screens = new Map<string, readonly (readonly Cell[])[]>();
  readonly types: string[] = [];

  constructor(watch: SessionsWatch) {
    this.watch = watch;
    this.#events = watch[Symbol.asyncIterator]();
  }

  /** Takes events until a condition is met. */
  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) await this.take();
  }

  async take(): Promise<void> {
    const { value } = await this.#events.next();
    if (value === undefined) throw new Error('the watch ended');
    this.types.push(value.type);
    this.#apply(value);
  }

  #apply(event: SessionsEvent): void {
    switch (event.type) {
      case 'sessions':
        this.infos.clear();
        for (const info of event.sessions) this.infos.set(info.id, info);
        break;
      case 'session':
        this.infos.set(event.session.id, event.session);
        break;
      case 'removed':
        expect(this.infos.delete(event.id)).toBe(true);
        break;
      case 'frame': {
        const { id, frame } = event;
        const before = this.screens.get(id);
        expect(frame.full || before !== undefined).toBe(true);
        this.screens.set(id, applyFrame(before ?? [], frame));
        this.frames.set(id, frame);
      }
    }
  }
}

export function watchingContract(fixture: CoordinatorFixture): void {
  const watcher = async (sessions: readonly SessionRef[] = []) =>
    new Watcher(
      await fixture.coordinator.watchSessions(
        sessions.length === 0 ? {} : { frames: { sessions, perSecond: 60 } },
      ),
    );

  describe('a watch of all sessions', () => {
    it('begins with all of them, then reports each change', async () => {
      const { coordinator, driver } = fixture;
      const first = await driver.ready('echo ready; exec cat');
      const watched = await watcher();
      await watched.take();
      expect(watched.types).toEqual(['sessions']);
      expect(watched.infos.get(first.id)).toMatchObject({ name: first.name, activity: {} });

      const second = await driver.ready(
        `echo ready; read -r _; printf '\\033]2;busy\\007'; exit 3`,
      );
      await watched.until(() => watched.infos.get(second.id)?.activity !== undefined);
      await coordinator.rename(first, 'renamed');
      await watched.until(() => watched.infos.get(first.id)?.name === 'renamed');
      await coordinator.sendText(second, '\r');
      const exited = () => watched.infos.get(second.id)?.activity?.state === 'exited';
      await watched.until(exited);
      expect(watched.infos.get(second.id)).toMatchObject({
        title: 'busy',
        exitStatus: { code: 3 },
      });
      await coordinator.remove(second);
      await watched.until(() => !watched.infos.has(second.id));
      expect([...watched.infos.keys()]).toEqual([first.id]);
      watched.watch.dispose();
      await expect(watched.take()).rejects.toThrow('the watch ended');
    });

    it('tells who drives and who sees a session', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec cat');
      const watched = await watcher();
      const info = () => watched.infos.get(session.id);
      await watched.until(() => info() !== undefined);
      const size = { cols: 80, rows: 24 };
      const as = { name: 'ann', kind: 'attach', as: 'take', size } as const;
      const viewing = await coordinator.view(session, as);
      await watched.until(() => info()?.driver?.name === 'ann');
      expect(info()?.viewers).toMatchObject([{ name: 'ann', kind: 'attach' }]);
      await viewing.dispose();
      await watched.until(() => info()?.driver === undefined && info()?.viewers === undefined);
      watched.watch.dispose();
    });

    it('follows the activity and the attention, which input ends', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        'echo ready; read -r _; read -rp "name? " _; sleep 100',
        {},
      );
      const watched = await watcher();
      const state = () => watched.infos.get(session.id)?.activity?.state;
      const attention = () => watched.infos.get(session.id)?.attention;
      await coordinator.sendText(session, '\r');
      await watched.until(() => attention()?.evidence === 'name?');
      expect(attention()).toMatchObject({ kind: 'input' });
      expect(state()).toBe('awaiting_input');
      const listed = await coordinator.list({ activity: true });
      expect(listed.find(({ id }) => id === session.id)?.attention).toEqual(attention());
      await coordinator.sendText(session, '\r');
      await watched.until(() => attention() === undefined);
      await watched.until(() => state() === 'running');
      watched.watch.dispose();
    });
  });

  describe('frames of a watch', () => {
    it('[law 4] make the screen, at any speed of the consumer', async () => {
      const { coordinator, driver } = fixture;
      for (const pauseMs of [0, 40, 400]) {
        const session = await driver.spawn({
          program: process.execPath,
          args: [testProgram('busy-screen.mjs'), '400', String(pauseMs)],
        });
        const watched = await watcher([session]);
        const exited = () => watched.infos.get(session.id)?.exitStatus != null;
        let taken = 0;
        while (!exited()) {
          await watched.take();
          taken++;
          // A consumer that is slow for a while.
          if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
        const { cells, cursor, title, alternate, size, revision } = await coordinator.screen(
          session,
          { format: 'cells' },
        );
        await watched.until(() => watched.frames.get(session.id)?.revision === revision);
        expect(watched.screens.get(session.id)).toEqual(cells);
        expect(watched.frames.get(session.id)).toMatchObject({ cursor, title, alternate, size });
        expect(taken).toBeLessThan(2000);
        watched.watch.dispose();
        await coordinator.remove(session);
      }
    });

    it('can be requested and stopped at any time', async () => {
      const { coordinator, driver } = fixture;
      const one = await driver.ready('echo ready; exec cat');
      const two = await driver.ready('echo ready; exec cat');
      const watched = await watcher([one]);
      await watched.until(() => watched.frames.has(one.id));
      await watched.watch.setFrames({ sessions: [two, 'no such session'] });
      await watched.until(() => watched.frames.has(two.id));
      const { revision } = watched.frames.get(one.id) as RowFrame;
      await coordinator.sendText(one, 'more\n');
      await coordinator.sendText(two, 'other\n');
      const shows = (text: string) => () =>
        watched.screens.get(two.id)?.some((row) =>
          row
            .map((cell) => cell.text)
            .join('')
            .includes(text),
        ) ?? false;
      await watched.until(shows('other'));
      expect(watched.frames.get(one.id)?.revision).toBe(revision);
      for (const perSecond of [0, 61, 1.5]) {
        const frames = { sessions: [one], perSecond };
        expect(await driver.codeOf(coordinator.watchSessions({ frames }))).toBe('INVALID_ARGUMENT');
        expect(await driver.codeOf(watched.watch.setFrames(frames))).toBe('INVALID_ARGUMENT');
      }
      watched.watch.dispose();
    });
  });
}
