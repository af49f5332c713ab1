import type { Coordinator, SessionInfo, Size } from 'vtr';
import type { Command } from './command.ts';
import { NarratedSession } from './narrated-session.ts';
import { plainShell } from './programs.ts';
import type { Story } from './story.ts';
import type { TemporaryHome } from './temporary-home.ts';
import { commandLine } from './wording.ts';

/** What every session has that does not ask for another one: it fits in a box on 80 columns. */
const smallSize: Size = { cols: 64, rows: 6 };

interface Props {
  /** A client of the daemon. */
  readonly coordinator: Coordinator;
  /** Speaks to the same daemon. */
  readonly command: Command;
  readonly story: Story;
  readonly home: TemporaryHome;
  /** Aborted when the demo is to end early. */
  readonly signal: AbortSignal;
}

/**
 * What a scene is given: sessions, a place for files, and the story to tell. The command does
 * things; the client looks on, because it can wait for what is yet to be brought about.
 */
export class Stage implements Props {
  readonly coordinator: Coordinator;
  readonly command: Command;
  readonly story: Story;
  readonly home: TemporaryHome;
  readonly signal: AbortSignal;
  /** Everything that was started, in order. */
  readonly spawned: SessionInfo[] = [];

  constructor({ coordinator, command, story, home, signal }: Props) {
    this.coordinator = coordinator;
    this.command = command;
    this.story = story;
    this.home = home;
    this.signal = signal;
  }

  async spawn(
    name: string,
    program: readonly string[],
    { cols, rows } = smallSize,
  ): Promise<NarratedSession> {
    const words = ['spawn', name, '--size', `${cols}x${rows}`, '--', ...program];
    await this.command.run(...words);
    const info = await this.coordinator.info(name);
    this.spawned.push(info);
    this.story.call('vtr', commandLine(words), `process ${info.pid}`);
    return new NarratedSession(info, this);
  }

  /** A shell that has shown its prompt. */
  async shell(name: string): Promise<NarratedSession> {
    const session = await this.spawn(name, await plainShell());
    await session.sees('^\\$');
    return session;
  }

  /** Removes every session, so that the next scene begins with none. */
  async clear(): Promise<void> {
    const sessions = await this.coordinator.list();
    await Promise.all(sessions.map((session) => this.coordinator.remove(session)));
  }
}
