import { type Disposable, defined } from '#base';
import { asVtrError, isAddress, VtrError } from '#model';
import type { AttachSettings, SessionGroup } from '../attach/scene.ts';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Keys } from '../keys.ts';
import { type AttachIn, OpenPanes, type WantedPane } from '../panes/open-panes.ts';
import { focusedPane, noPanes, type Pane, seenPanes, withPane } from '../panes/panes.ts';
import { type LayoutStore, restoredLayout, savedLayout } from '../panes/saved-layout.ts';
import { oneTab } from '../panes/tabs.ts';
import { Runtime, type Shown, type TtyEffect } from '../runtime.ts';
import { type Tty, ttyClock } from '../tty-screen/tty.ts';
import { draw } from './draw.ts';
import { layoutOf, panesLayoutOf, showsPanes } from './layout.ts';
import { type Entry, keyOf, type OverviewModel, startModel, tabsIn } from './model.ts';
import { showsItself } from './opening.ts';
import { type PerformContext, perform } from './perform.ts';
import { DrawnParts } from './spans.ts';
import type { OverviewEffect, OverviewEvent } from './step.ts';
import { shownKeyOf } from './tmux-sessions.ts';
import { TrackedBranches } from './tracked-branches.ts';
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
  /** Shows sessions in panes beside the list. Without it, the overview ends with the choice. */
  readonly panes?: PanesOptions;
  /** Whether it only serves to choose one: what is typed filters the list, Enter chooses, Esc leaves. */
  readonly isSwitcher?: boolean;
  /** Whether the mouse selects and attaches; else it is the terminal's. Default: true */
  readonly usesMouse?: boolean;
  /** Only these sessions are listed. Default: all */
  readonly group?: SessionGroup | null;
}

interface PanesOptions {
  readonly settings: AttachSettings;
  readonly attachIn: AttachIn;
  readonly layouts: LayoutStore;
  /** The layout to begin with. Default: the list alone, and a layout without a name. */
  readonly layout?: string;
  /** The name of a session of tmux to begin with, in place of a layout. */
  readonly tmux?: string;
}

/** A layout is saved when it has not changed for this time, in ms. */
const saveMs = 300;

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
  /** Null where there is no side bar. */
  readonly #branches: TrackedBranches | null;
  /** Null where the overview ends with the choice. */
  readonly #open: OpenPanes | null;
  #followed: OverviewModel | null = null;
  /** What was saved last, and what is to be saved. */
  #saved = '';
  #unsaved: { readonly name: string; readonly text: string; readonly timer: Disposable } | null =
    null;

  constructor(tty: Tty, options: OverviewOptions, links: readonly CoordinatorLink[]) {
    const { home, ownId, current, keys, panes, isSwitcher = false, group = null } = options;
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
        ...this.#firstTabs(),
        isSwitcher,
        group,
        linkNames: links.map(({ name }) => name),
        awaited:
          current === undefined
            ? null
            : { coordinatorName: current.coordinatorName, name: current.session.name },
      }),
      program: {
        update,
        wakeAtMs: ({ tickedAtMs }) => tickedAtMs + tickMs,
        view: (model) => this.#view(model),
        follow: (model) => this.#follow(model),
        perform: (effect) => this.#perform(effect),
      },
    });
    this.#open =
      panes === undefined
        ? null
        : new OpenPanes({
            tty,
            person: options.person,
            settings: panes.settings,
            attachIn: panes.attachIn,
            changed: () => this.#runtime.show(),
            shows: (pane, of) => this.#paneShows(pane, of),
            showsTmux: (pane, name) => this.#runtime.tell({ type: 'paneShowsTmux', pane, name }),
            ended: (pane, end) => this.#runtime.tell({ type: 'paneEnded', pane, end }),
            failed: (error) => this.#runtime.fail(error),
          });
    this.#branches =
      panes === undefined
        ? null
        : new TrackedBranches(ttyClock, (directory, tracking) =>
            this.#runtime.tell({ type: 'tracking', directory, tracking }),
          );
    this.#watched = links.map((link, index) => this.#watch(link, index));
    this.#context = {
      model: () => this.#runtime.state,
      person: options.person,
      coordinator: (link) => this.#watchedAt(link).coordinator(),
      started: (link) => this.#watchedAt(link).started(),
      tell: (event) => this.#runtime.tell(event),
    };
  }

  /** @throws VtrError IO_ERROR if the layout cannot be saved at the end */
  async run(): Promise<OverviewEnd> {
    const ended = this.#runtime.run();
    this.#runtime.tell({ type: 'window', size: this.#tty.size });
    try {
      const end = await ended;
      this.#save();
      return end;
    } finally {
      await this.#open?.end();
      for (const each of this.#watched) each.dispose();
      this.#branches?.dispose();
    }
  }

  /** The tabs that were saved under the name of the layout. @throws VtrError IO_ERROR */
  #firstTabs(): Pick<Parameters<typeof startModel>[0], 'layoutName' | 'tabs' | 'bar'> {
    const { panes } = this.#options;
    if (panes === undefined) return {};
    const { layout: name, layouts, tmux } = panes;
    if (tmux !== undefined) {
      const session = { coordinator: '', name: tmux, tmux: '' };
      const shown = withPane(noPanes(), { session, target: null }, 'here', this.#tty.size);
      return { tabs: oneTab(shown ?? noPanes()) };
    }
    if (name === undefined) return { tabs: oneTab(noPanes()) };
    const text = layouts.load(name);
    if (text === null) return { layoutName: name, tabs: oneTab(noPanes()) };
    const restored = restoredLayout(text);
    if (restored !== null) return { layoutName: name, ...restored };
    const message = `the layout ${name} is damaged; remove it with vtr ui ${name} --remove`;
    throw new VtrError('IO_ERROR', message);
  }

  #view(model: OverviewModel): Shown {
    const picture = draw(model, this.#parts, (id) => this.#open?.picture(id) ?? null);
    const { panes } = model;
    const { usesMouse = true } = this.#options;
    const own = usesMouse ? ('normal' as const) : 'none';
    if (panes === null || !showsPanes(model)) return { picture, modes: null, mouse: own };
    // Dragging needs the moves with a button, and a menu follows the mouse.
    if (usesMouse && model.menu !== null) return { picture, modes: null, mouse: 'any' };
    const { modes, mouse } = this.#open?.modes(panes.focus) ?? { modes: null, mouse: 'none' };
    const hasKeys = model.mode.type === 'list' && !model.hasBarKeys;
    const needed = mouse === 'any' ? ('any' as const) : 'button';
    return { picture, modes: hasKeys ? modes : null, mouse: usesMouse ? needed : mouse };
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

  /** Asks for what is in view. */
  #follow(model: OverviewModel): void {
    // A key for a program changes nothing.
    if (model === this.#followed) return;
    if (model.entries !== this.#followed?.entries) {
      // The directories of other coordinators may be on other machines.
      this.#branches?.follow(
        [...model.entries.values()].filter(
          ({ link }) => !isAddress(this.#links[link]?.socket ?? ''),
        ),
      );
    }
    this.#followed = model;
    this.#open?.follow(this.#wantedPanes(model));
    this.#saveLater(model);
    const shown = showsPanes(model) ? [] : shownEntries(model);
    const selected = previewed(model);
    // The client of tmux does not tell what its person looks at.
    const active = activeInTmux(model);
    const looks = model.hasFocus && !model.hasBarKeys;
    for (const [index, watched] of this.#watched.entries()) {
      const isHere = selected?.link === index;
      if (active?.link === index) watched.setPreview(refOf(active), looks, false);
      else watched.setPreview(isHere ? refOf(selected) : null, isHere && looksAtPreview(model));
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
        this.#choose(effect);
        break;
      case 'toPanes':
        this.#open?.read(effect.panes, effect.event);
        break;
      case 'toTmux':
        this.#open?.sendTmux(effect.pane, effect.event);
        break;
      default:
        void perform(this.#context, effect);
    }
  }

  #paneShows(pane: number, { link, session }: Pick<OverviewChoice, 'link' | 'session'>): void {
    const index = this.#links.findIndex(({ socket }) => socket === link.socket);
    if (index !== -1) this.#runtime.tell({ type: 'paneShows', pane, link: index, session });
  }

  #choose({ key, as, line }: OverviewEffect & { readonly type: 'attach' }): void {
    const entry = this.#runtime.state.entries.get(key);
    const link = entry === undefined ? undefined : this.#links[entry.link];
    if (entry === undefined || link === undefined) return;
    const choice = { link, session: refOf(entry), as, ...defined({ line }) };
    this.#runtime.end({ type: 'chosen', choice });
  }

  /** The panes whose sessions are known, in their sizes. Those that another one hides keep theirs. */
  #wantedPanes(model: OverviewModel): WantedPane[] {
    const { panes, hasFocus, hasBarKeys } = model;
    if (panes === null) return [];
    const { space } = panesLayoutOf(model);
    const visible = new Map(seenPanes(panes, space).map((each) => [each.id, each]));
    const unzoomed = seenPanes({ ...panes, isZoomed: false }, space);
    const places = new Map([...unzoomed.map((each) => [each.id, each] as const), ...visible]);
    const looks = hasFocus && showsPanes(model) && !hasBarKeys;
    const requestsOf = (pane: Pane, isOfShownTab: boolean): WantedPane[] => {
      const request = this.#contentOf(model, pane);
      const { cols, rows } = places.get(pane.id) ?? space;
      const isFocus = looks && pane.id === panes.focus;
      const size = { cols, rows };
      return request === null ? [] : [{ ...request, size, hasFocus: isFocus, isOfShownTab }];
    };
    const { before, after } = model.otherTabs;
    return [
      ...[...panes.byId.values()].flatMap((pane) => requestsOf(pane, true)),
      ...[...before, ...after].flatMap((tab) =>
        [...tab.byId.values()].flatMap((pane) => requestsOf(pane, false)),
      ),
    ];
  }

  #contentOf(model: OverviewModel, pane: Pane) {
    const { id, session, target, problem, as, line, makes } = pane;
    const link = target === null ? undefined : this.#links[target.link];
    if (target === null || link === undefined || problem !== '') return null;
    if (showsItself(model, pane)) return null;
    const { name, tmux } = session;
    return { id, link, session: { name, id: target.id }, as, line, ...defined({ tmux, makes }) };
  }

  #saveLater(model: OverviewModel): void {
    const tabs = tabsIn(model);
    const { layoutName: name, bar } = model;
    if (tabs === null || name === null) return;
    const text = savedLayout(tabs, bar);
    const isKnown =
      this.#unsaved === null ? this.#saved === name + text : this.#unsaved.text === text;
    if (isKnown) return;
    this.#unsaved?.timer.dispose();
    this.#unsaved = { name, text, timer: ttyClock.schedule(saveMs, () => this.#saveNow()) };
  }

  /** @throws VtrError IO_ERROR, INVALID_ARGUMENT */
  #save(): void {
    if (this.#unsaved === null) return;
    const { name, text, timer } = this.#unsaved;
    timer.dispose();
    this.#unsaved = null;
    this.#saved = name + text;
    this.#options.panes?.layouts.save(name, text);
  }

  #saveNow(): void {
    try {
      this.#save();
    } catch (error) {
      this.#runtime.tell({ type: 'notice', text: asVtrError(error).message, isError: true });
    }
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

/** The active pane of the session of tmux in the tab that is shown. */
function activeInTmux(model: OverviewModel): Entry | undefined {
  const pane = model.panes === null || !showsPanes(model) ? undefined : focusedPane(model.panes);
  if (pane?.session.tmux === undefined || showsItself(model, pane)) return undefined;
  return model.entries.get(shownKeyOf(model, pane) ?? '');
}

/** The session whose content is in view. */
function previewed(model: OverviewModel): Entry | undefined {
  if (layoutOf(model).preview === null || model.selected === null) return undefined;
  const entry = model.entries.get(model.selected);
  return entry?.info.id === model.ownId ? undefined : entry;
}
