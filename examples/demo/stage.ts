import type { Coordinator, SessionInfo, SpawnRequest } from 'vtr';
import { NarratedSession } from './narrated-session.ts';
import { plainShell } from './programs.ts';
import type { Story } from './story.ts';
import type { TemporaryHome } from './temporary-home.ts';
import { commandLine } from './wording.ts';

/** What every session has that does not ask for another one: it fits in a box on 80 columns. */
const smallSize = { cols: 64, rows: 6 };

/** What a scene is given: sessions, a place for files, and the story to tell. */
export class Stage {
  readonly coordinator: Coordinator;
  readonly story: Story;
  readonly home: TemporaryHome;
  /** Aborted when the demo is to end early. */
  readonly signal: AbortSignal;
  /** Everything that was started, in order. */
  readonly spawned: SessionInfo[] = [];

  constructor(coordinator: Coordinator, story: Story, home: TemporaryHome, signal: AbortSignal) {
    this.coordinator = coordinator;
    this.story = story;
    this.home = home;
    this.signal = signal;
  }

  async spawn(name: string, request: SpawnRequest): Promise<NarratedSession> {
    const { path } = this.home;
    const info = await this.coordinator.spawn({
      size: smallSize,
      cwd: path,
      ...request,
      name,
      env: { HOME: path, XDG_CONFIG_HOME: path, ...request.env },
    });
    this.spawned.push(info);
    const { program = '', args = [] } = request;
    this.story.call('spawn', commandLine([program, ...args]), `"${name}", process ${info.pid}`);
    return new NarratedSession(info, this);
  }

  /** A shell that has shown its prompt. */
  async shell(name: string): Promise<NarratedSession> {
    const session = await this.spawn(name, await plainShell());
    await session.sees('^\\$ ');
    return session;
  }

  /** Removes every session, so that the next scene begins with none. */
  async clear(): Promise<void> {
    const sessions = await this.coordinator.list();
    await Promise.all(sessions.map((session) => this.coordinator.remove(session)));
  }
}
