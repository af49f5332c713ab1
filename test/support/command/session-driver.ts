import type {
  Coordinator,
  ExitStatus,
  RevivedSession,
  ReviveRequest,
  SessionInfo,
  SessionRef,
  SpawnedSession,
  SpawnRequest,
} from '#model';
import { SubscribedTerminal } from '../service/subscribed-terminal.ts';

/** Common actions of tests on a coordinator; they use only the port. */
export class SessionDriver {
  readonly coordinator: Coordinator;
  /** Every session spawned. */
  readonly spawned: SessionInfo[] = [];

  constructor(coordinator: Coordinator) {
    this.coordinator = coordinator;
  }

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const session = await this.coordinator.spawn(request);
    this.spawned.push(session);
    return session;
  }

  async revive(session: SessionRef, request?: ReviveRequest): Promise<RevivedSession> {
    const revived = await this.coordinator.revive(session, request);
    this.spawned.push(revived);
    return revived;
  }

  sh(script: string, more: SpawnRequest = {}): Promise<SpawnedSession> {
    return this.spawn({ program: 'sh', args: ['-c', script], ...more });
  }

  /** Runs a script that prints `ready`, and waits until it does. */
  async ready(script: string, more: SpawnRequest = {}): Promise<SessionInfo> {
    const session = await this.sh(script, more);
    await this.untilShown(session, 'ready');
    return session;
  }

  /**
   * Resolves once a line or the screen shows `text`. It uses a subscription, because waits are under
   * test.
   *
   * @throws Error with the text shown when the program exits first
   */
  async untilShown(session: SessionRef, text: string | RegExp): Promise<void> {
    const subscription = await this.coordinator.subscribe(session);
    const copy = new SubscribedTerminal(subscription);
    try {
      do await copy.take(1);
      while (!copy.exited && copy.text().search(text) < 0);
      if (copy.text().search(text) < 0) {
        throw new Error(`${text} was not shown before the exit:\n${copy.text()}`);
      }
    } finally {
      subscription.dispose();
    }
  }

  /** The text of the scrollback and the primary screen. */
  async text(session: SessionRef): Promise<string> {
    const { lines } = await this.coordinator.readLines(session);
    return lines.map(({ text }) => text).join('\n');
  }

  async exitOf(session: SessionRef): Promise<ExitStatus | null> {
    return (await this.coordinator.wait(session)).exitStatus;
  }

  /** The code of the error of a call; `done` when it succeeds. */
  async codeOf(call: Promise<unknown>): Promise<string> {
    return call.then(
      () => 'done',
      ({ code }) => code,
    );
  }
}
