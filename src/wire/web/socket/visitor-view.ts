import { type Client, type Coordinator, callAs, type Viewing } from '#model';

/** What the server itself asks of the coordinator, besides the calls of pages. */
export type WebSessions = Pick<Coordinator, 'info' | 'recordings' | 'subscribe' | 'view'>;

/** The size of a viewer that only watches has no effect. */
const size = { cols: 80, rows: 24 };

/** Shows a visitor among the viewers of a session, so that its driver knows who watches. */
export class VisitorView {
  readonly #viewing: Promise<Viewing | null>;

  /** @param person the name that others see */
  constructor(sessions: WebSessions, sessionId: string, person: string, client: Client) {
    const view = { name: person, kind: 'web', size, as: 'watch' } as const;
    this.#viewing = callAs(client, () => sessions.view({ name: '', id: sessionId }, view)).catch(
      // The session or the daemon has ended.
      () => null,
    );
  }

  end(): void {
    void this.#viewing.then((viewing) => viewing?.dispose()).catch(() => {});
  }
}
