import { signal } from '@preact/signals';
import type { WebWarning } from '#model';
import type { Link } from '../link/link.ts';
import { type Me, me } from '../link/login.ts';
import { SessionList } from '../sessions/session-list.ts';
import type { App } from './app.ts';
import { notifyOf } from './notify.ts';

/** How often a page in view looks for containers that came and went, in ms: as often as their lists are made. */
const lookMs = 10_000;
/** How often it looks for warnings about logins, in ms. */
const warnedMs = 30_000;

interface Other {
  readonly app: App;
  readonly endNotices: () => void;
}

const none = signal<readonly never[]>([]);

/** The other coordinators of the page, as the server tells of them. */
export class Others {
  readonly all = signal<readonly App[]>([]);
  readonly problems = signal<readonly string[]>([]);
  /** Logins that may not be the person's own. */
  readonly warnings = signal<readonly WebWarning[]>([]);
  readonly #link: Link;
  readonly #known = new Map<string, Other>();

  constructor(link: Link, first: Me) {
    this.#link = link;
    this.#show(first);
    if (first.scope !== 'all') return;
    setInterval(
      () => {
        if (!document.hidden && link.state.value === 'up') void this.#look();
      },
      first.isChanging === true ? lookMs : warnedMs,
    );
  }

  async #look(): Promise<void> {
    // The connection tells whether the server answers and the login is good.
    const now = await me().catch(() => null);
    if (now !== null) this.#show(now);
  }

  #show({ others = [], problems = [], warnings = [], ...allowed }: Me): void {
    for (const [name, { app, endNotices }] of this.#known) {
      if (others.includes(name)) continue;
      app.sessions.close();
      endNotices();
      this.#known.delete(name);
    }
    for (const name of others) {
      if (this.#known.has(name)) continue;
      const link = this.#link.at(name);
      const of = { link, coordinator: name, others: none, problems: none, warnings: none };
      const app: App = { ...of, me: allowed, sessions: new SessionList(link) };
      this.#known.set(name, { app, endNotices: notifyOf(app) });
    }
    this.all.value = others.flatMap((name) => this.#known.get(name)?.app ?? []);
    this.problems.value = problems;
    this.warnings.value = warnings;
  }
}
