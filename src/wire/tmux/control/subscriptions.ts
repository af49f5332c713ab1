import { ignored } from '#base';
import { FormatContext } from '../format/context.ts';
import { expand } from '../format/expand.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxPane } from '../state/tmux-window.ts';

/** How often values are looked at, in ms, as by tmux (control.c). */
const periodMs = 1_000;

/** What a value is about, as a notification names it. */
interface Subject {
  readonly about: FormatContext;
  readonly name: string;
}

interface ControlSubscription {
  /** Empty for the session, `%*`, `@*`, or the id of a pane or a window. */
  readonly what: string;
  readonly format: string;
  /** The last values, by what they are about. */
  readonly last: Map<string, string>;
}

/** Formats whose values a client in control mode is told when they change: `refresh-client -B`. */
export class ControlSubscriptions {
  readonly #server: TmuxServer;
  readonly #client: AttachedClient;
  readonly #tell: (text: string) => void;
  readonly #all = new Map<string, ControlSubscription>();
  #timer: NodeJS.Timeout | null = null;
  #isDisposed = false;

  /** @param tell takes whole lines */
  constructor(server: TmuxServer, client: AttachedClient, tell: (text: string) => void) {
    this.#server = server;
    this.#client = client;
    this.#tell = tell;
  }

  /** @param text `name:what:format`; a name alone ends its subscription */
  change(text: string): void {
    const [, name = '', rest] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
    if (rest === undefined) {
      this.#all.delete(name);
      return;
    }
    const [, what, format] = /^([^:]*):(.*)$/s.exec(rest) ?? [];
    if (what === undefined || format === undefined) return;
    this.#all.set(name, { what, format, last: new Map() });
    this.#timer ??= setTimeout(() => this.#look(), periodMs).unref();
  }

  dispose(): void {
    this.#isDisposed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #look(): void {
    const looked = this.#lookAtAll().finally(() => {
      if (this.#isDisposed || this.#all.size === 0) this.#timer = null;
      else this.#timer = setTimeout(() => this.#look(), periodMs).unref();
    });
    ignored(looked, 'the session may have ended meanwhile');
  }

  async #lookAtAll(): Promise<void> {
    for (const [name, subscription] of [...this.#all].sort(([one], [two]) =>
      one < two ? -1 : 1,
    )) {
      for (const subject of this.#subjects(subscription)) {
        const value = await expand(subscription.format, subject.about);
        if (this.#isDisposed || subscription.last.get(subject.name) === value) continue;
        subscription.last.set(subject.name, value);
        const shown = this.#server.shown(value, 'known');
        this.#tell(`%subscription-changed ${name} ${subject.name} : ${shown}\n`);
      }
    }
  }

  /** Each place of the session of the client that a subscription is about. */
  #subjects({ what }: ControlSubscription): readonly Subject[] {
    const { session } = this.#client;
    const of = (link: (typeof session.links)[number], pane: TmuxPane) =>
      new FormatContext({ server: this.#server, client: this.#client, session, link, pane });
    const owner = `$${session.id}`;
    if (!/^(%|@)(\*|\d+)/.test(what)) {
      const { current } = session;
      return [{ about: of(current, current.window.active), name: `${owner} - - -` }];
    }
    return session.links.flatMap((link) => {
      const { window, index } = link;
      const place = `${owner} @${window.id} ${index}`;
      if (what.startsWith('@')) {
        const isMeant = what === '@*' || Number.parseInt(what.slice(1), 10) === window.id;
        return isMeant ? [{ about: of(link, window.active), name: `${place} -` }] : [];
      }
      const panes = window.panes.filter(
        ({ id, dead }) =>
          what === '%*' || (Number.parseInt(what.slice(1), 10) === id && dead === null),
      );
      return panes.map((pane) => ({ about: of(link, pane), name: `${place} %${pane.id}` }));
    });
  }
}
