import { defined } from '#base';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Keys } from '../keys.ts';
import { Runtime, type TtyEffect } from '../runtime.ts';
import { type Tty, ttyClock } from '../tty-screen/tty.ts';
import { draw } from './draw.ts';
import { layoutOf } from './layout.ts';
import { type Entry, keyOf, type OverviewModel, startModel } from './model.ts';
import { type PerformContext, perform } from './perform.ts';
import { DrawnParts } from './spans.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';
import { update } from './update.ts';
import { WatchedLink } from './watched-link.ts';

/** Durations are shown in seconds. */
const tickMs = 1000;

export interface OverviewOptions {
  /** Returns the coordinators that are known now, the person's own first. Called again and again. */
  readonly links: () => Promise<readonly CoordinatorLink[]>;
  /** The name by which others know the person. */
  readonly person: string;
  readonly keys: Keys;
  /** Shown as `~`. */
  readonly home?: string | undefined;
  /** The id of the session in which this process runs: it cannot show itself. */
  readonly ownId?: string | undefined;
  /** The session to select first. */
  readonly current?: {
    readonly coordinatorName: string;
    readonly session: { readonly name: string };
  };
  /**
   * Attaches in the same terminal, and resolves when the person returns, with what to tell. Without it,
   * the overview ends with the choice.
   */
  readonly attach?: (chosen: OverviewChoice) => Promise<string>;
}

/** The session to attach to. */
export interface OverviewChoice {
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
  readonly as: 'auto' | 'take';
  /** The line to show first, instead of the screen. */
  readonly line?: number;
}

export type OverviewEnd =
  | { readonly type: 'left' }
  | { readonly type: 'chosen'; readonly choice: OverviewChoice };

/** Shows all sessions until the person leaves or chooses one. */
export async function runOverview(tty: Tty, options: OverviewOptions): Promise<OverviewEnd> {
  return new Overview(tty, options, await options.links()).run();
}

class Overview {
  readonly #runtime: Runtime<OverviewModel, OverviewEvent, OverviewEffect, OverviewEnd>;
  readonly #tty: Tty;
  readonly #options: OverviewOptions;
  readonly #links: CoordinatorLink[];
  readonly #watched: WatchedLink[];
  readonly #context: PerformContext;
  readonly #parts = new DrawnParts();
  #isAttached = false;

  constructor(tty: Tty, options: OverviewOptions, links: readonly CoordinatorLink[]) {
    const { home, ownId, current, keys } = options;
    this.#tty = tty;
    this.#options = options;
    this.#links = [...links];
    this.#runtime = new Runtime<OverviewModel, OverviewEvent, OverviewEffect, OverviewEnd>({
      tty,
      clock: ttyClock,
      first: startModel({
        size: tty.size,
        nowMs: Date.now(),
        keys,
        home,
        ownId,
        linkNames: links.map(({ name }) => name),
        awaited:
          current === undefined
            ? null
            : { coordinatorName: current.coordinatorName, name: current.session.name },
      }),
      program: {
        update,
        wakeAtMs: ({ tickedAtMs }) => tickedAtMs + tickMs,
        view: (model) => ({ picture: draw(model, this.#parts), modes: null, mouse: 'normal' }),
        follow: (model) => this.#follow(model),
        perform: (effect) => this.#perform(effect),
      },
    });
    this.#watched = links.map((link, index) => this.#watch(link, index));
    this.#context = {
      model: () => this.#runtime.state,
      person: options.person,
      coordinator: (link) => this.#watchedAt(link).coordinator(),
      started: (link) => this.#watchedAt(link).started(),
      tell: (event) => this.#runtime.tell(event),
    };
  }

  async run(): Promise<OverviewEnd> {
    const ended = this.#runtime.run();
    this.#runtime.tell({ type: 'window', size: this.#tty.size });
    try {
      return await ended;
    } finally {
      for (const each of this.#watched) each.dispose();
    }
  }

  /** Adds coordinators whose sockets match a configured glob only now. */
  async #findLinks(): Promise<void> {
    const links = await this.#options.links();
    if (this.#runtime.isOver) return;
    for (const link of links) {
      if (this.#links.some(({ socket }) => socket === link.socket)) continue;
      this.#runtime.tell({ type: 'newLink', name: link.name });
      this.#links.push(link);
      this.#watched.push(this.#watch(link, this.#watched.length));
    }
  }

  #watch(link: CoordinatorLink, index: number): WatchedLink {
    return new WatchedLink(link, ttyClock, {
      events: (events) => this.#runtime.tell({ type: 'sessions', link: index, events }),
      state: (state, reason) => this.#runtime.tell({ type: 'link', link: index, state, reason }),
      lastLines: (lines) => {
        const byKey = [...lines].map(([id, line]) => [keyOf(index, id), line] as const);
        this.#runtime.tell({ type: 'lastLines', lines: new Map(byKey) });
      },
    });
  }

  #watchedAt(link: number): WatchedLink {
    const watched = this.#watched[link];
    if (watched === undefined) throw new Error(`there is no coordinator ${link}`);
    return watched;
  }

  /** Asks for what is in view: nothing while a session is attached. */
  #follow(model: OverviewModel): void {
    const shown = this.#isAttached ? [] : shownEntries(model);
    const selected = this.#isAttached ? undefined : previewed(model);
    for (const [index, watched] of this.#watched.entries()) {
      const isHere = selected?.link === index;
      watched.setPreview(isHere ? refOf(selected) : null, isHere && looksAtPreview(model));
      watched.setLines(shown.filter(({ link }) => link === index).map(refOf));
    }
  }

  #perform(effect: Exclude<OverviewEffect, TtyEffect>): void {
    switch (effect.type) {
      case 'leave':
        this.#runtime.end({ type: 'left' });
        break;
      case 'findLinks':
        this.#findLinks().catch((error: unknown) => this.#runtime.fail(error));
        break;
      case 'attach':
        this.#attach(effect).catch((error: unknown) => this.#runtime.fail(error));
        break;
      default:
        void perform(this.#context, effect);
    }
  }

  async #attach({ key, as, line }: OverviewEffect & { readonly type: 'attach' }): Promise<void> {
    const entry = this.#runtime.state.entries.get(key);
    const link = entry === undefined ? undefined : this.#links[entry.link];
    if (entry === undefined || link === undefined) return;
    const choice: OverviewChoice = {
      link,
      session: refOf(entry),
      as,
      ...defined({ line }),
    };
    const { attach } = this.#options;
    if (attach === undefined) {
      this.#runtime.end({ type: 'chosen', choice });
      return;
    }
    this.#isAttached = true;
    this.#follow(this.#runtime.state);
    await this.#runtime.lend(async () => {
      try {
        const said = await attach(choice);
        if (said !== '') this.#runtime.tell({ type: 'notice', text: said, isError: false });
      } finally {
        this.#isAttached = false;
      }
    });
  }
}

const refOf = ({ info: { name, id } }: Entry) => ({ name, id });

/** The sessions whose rows are in view. */
function shownEntries(model: OverviewModel): Entry[] {
  const { list } = layoutOf(model);
  return model.rows
    .slice(model.top, model.top + list.rows)
    .flatMap((row) => (row.type === 'session' ? [row.entry] : []));
}

/** Whether the person has seen the preview: the one of a session that was selected automatically may be unseen. */
const looksAtPreview = ({ hasFocus, selectedAtMs, isPeeking }: OverviewModel): boolean =>
  hasFocus && (selectedAtMs === 0 || isPeeking);

/** The session whose content is in view. */
function previewed(model: OverviewModel): Entry | undefined {
  if (layoutOf(model).preview === null || model.selected === null) return undefined;
  const entry = model.entries.get(model.selected);
  return entry?.info.id === model.ownId ? undefined : entry;
}
