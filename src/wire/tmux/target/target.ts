import { globMatches } from '#format';
import type { Direction, LayoutCell } from '#layout';
import { windowName } from '../format/foreground.ts';
import type { AttachedClient } from '../state/attached-client.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane, TmuxWindow } from '../state/tmux-window.ts';
import { TmuxError } from '../tmux-error.ts';

/** What a target names. */
export type TargetType = 'session' | 'window' | 'pane';

export interface Target {
  readonly session: TmuxSession;
  readonly link: WindowLink;
  readonly pane: TmuxPane;
}

/** Returns what a session or window shows. */
export const targetOf = (link: WindowLink, pane = link.window.active): Target => ({
  session: link.session,
  link,
  pane,
});

/** Finds the targets of commands. */
export class Targets {
  readonly #server: TmuxServer;
  /** The pane in which the caller runs; null outside. */
  readonly #own: TmuxPane | null;
  /** The client of which it is a command; null without one. */
  readonly #client: AttachedClient | null;
  /** What an earlier command of the same caller has made current; null if none has. */
  readonly #base: Target | null;

  constructor(
    server: TmuxServer,
    own: TmuxPane | null,
    client: AttachedClient | null,
    base: Target | null,
  ) {
    this.#server = server;
    this.#own = own;
    this.#client = client;
    this.#base = base;
  }

  /**
   * The target of a command without one: as left by the command before it, else the active pane of the
   * session that the caller is attached to, or in which its pane is, or that was used last.
   */
  current(): Target | null {
    if (this.#base !== null && this.exists(this.#base)) return this.#base;
    const { session: attached = null } = this.#client ?? {};
    if (attached !== null && this.#server.sessions.has(attached.id)) {
      return targetOf(attached.current);
    }
    const { window } = this.#own ?? {};
    const session = window && this.#server.sessionOf(window);
    // As tmux: not the caller's own pane, but the one that is active in its session.
    if (session !== undefined) return targetOf(session.current);
    const [latest] = this.#server.sorted.sort((one, two) => two.activity - one.activity);
    return latest === undefined ? null : targetOf(latest.current);
  }

  /** Whether a target's session, window and pane are still there, and in each other. */
  exists({ session, link, pane }: Target): boolean {
    return (
      this.#server.sessions.get(session.id) === session &&
      session.links.includes(link) &&
      link.window.panes.includes(pane)
    );
  }

  /** @throws TmuxError if there is nothing of that name */
  find(text: string | undefined, type: TargetType): Target {
    const current = this.current();
    // As in tmux: without a session, nothing is looked for.
    if (current === null) throw new TmuxError('no current target');
    if (text === undefined || text === '') return current;
    if (text === '{marked}' || text === '~') return this.#marked();
    if (text === '=' || text === '{mouse}') return this.#atMouse();
    const parts = partsOf(text, type);
    const { session, window, pane } = parts;
    if (session !== undefined) return this.#inSession(this.#session(session), window, pane);
    if (window !== undefined) {
      const link = this.#window(window, { isOnly: parts.isWindowOnly });
      return pane === undefined ? targetOf(link) : this.#pane(link, pane);
    }
    return this.#paneAlone(pane ?? '', parts.isPaneOnly);
  }

  /**
   * Finds an index for a window: `session:index`, also where no window is yet, or that of a window.
   *
   * @returns the index as given; null if a session or an existing window was named without one
   * @throws TmuxError
   */
  findIndex(text: string | undefined): { session: TmuxSession; index: number | null } {
    const current = this.#currentSession();
    if (text === undefined || text === '') return { session: current, index: null };
    const colon = text.indexOf(':');
    const name = colon === -1 ? '' : text.slice(0, colon);
    const window = text.slice(colon + 1);
    if (colon === -1 && text.startsWith('$')) return { ...this.#session(text), index: null };
    if (colon === -1 && text.startsWith('@')) return this.#window(text, { isOnly: true });
    if (window.startsWith('%') || window.includes('.')) {
      throw new TmuxError("can't specify pane here");
    }
    const session = name === '' ? current : this.#session(name).session;
    if (/^(\d+|[-+]\d*)?$/.test(window)) return { session, index: indexIn(session, window) };
    const link = this.#windowIn(session, words.window.get(window) ?? window);
    if (link !== null) return { session, index: link.index };
    if (colon !== -1) throw new TmuxError(`can't find window: ${window}`);
    // It is not a window, so it is the name of a session.
    return { session: this.#window(text, { isOnly: false }).session, index: null };
  }

  /**
   * As {@link find}, for messages: what is not found is left out. Null if nothing is found.
   */
  findPartly(text: string, type: TargetType): Target | null {
    for (const part of [text, text.replace(/\.[^.:]*$/, ''), text.replace(/:.*$/, ':')]) {
      try {
        return this.find(part, type);
      } catch (error) {
        if (!(error instanceof TmuxError) || !/[.:]/.test(text)) return null;
      }
    }
    return null;
  }

  #marked(): Target {
    const pane = this.#server.marked;
    const link = pane && this.#server.linksOf(pane.window)[0];
    if (pane && link) return targetOf(link, pane);
    throw new TmuxError('no marked target');
  }

  #atMouse(): Target {
    const mouse = this.#client?.terminal?.mouse ?? null;
    if (mouse === null) throw new TmuxError('no mouse target');
    return targetOf(mouse.link, mouse.pane ?? mouse.link.window.active);
  }

  #currentSession(): TmuxSession {
    const session = this.current()?.session;
    if (session !== undefined) return session;
    throw new TmuxError('no current target');
  }

  #inSession(target: Target, window: string | undefined, pane: string | undefined): Target {
    const link = window === undefined ? target.link : this.#windowIn(target.session, window);
    if (link === null) throw new TmuxError(`can't find window: ${window}`);
    return pane === undefined ? targetOf(link) : this.#pane(link, pane);
  }

  /** @throws TmuxError */
  #session(text: string): Target {
    const isExact = text.startsWith('=');
    const name = isExact ? text.slice(1) : text;
    const all = this.#server.sorted;
    const client = [...this.#server.clients].find((each) => each.name === name);
    const candidates = [
      () => (name.startsWith('$') ? all.filter(({ id }) => `$${id}` === name) : []),
      () => all.filter((each) => each.name === name),
      () => (client === undefined ? [] : [client.session]),
      ...(isExact || name.startsWith('$')
        ? []
        : [
            () => all.filter((each) => each.name.startsWith(name)),
            () => all.filter((each) => globMatches(name, each.name)),
          ]),
    ];
    const session = only(candidates);
    if (session === null) throw new TmuxError(`can't find session: ${name}`);
    return targetOf(session.current);
  }

  /** A window of the current session, or the current window of a session. @throws TmuxError */
  #window(text: string, { isOnly }: { readonly isOnly: boolean }): WindowLink {
    if (text.startsWith('@')) {
      const window = this.#server.windows.find(({ id }) => `@${id}` === text);
      const current = this.current()?.session;
      const link =
        window && (current?.linkOf(window) ?? this.#server.sessionOf(window)?.linkOf(window));
      if (link) return link;
      throw new TmuxError(`can't find window: ${text}`);
    }
    const session = this.current()?.session;
    const link = session && this.#windowIn(session, text);
    if (link) return link;
    if (isOnly) throw new TmuxError(`can't find window: ${text.replace(/^=/, '')}`);
    try {
      return this.#session(text).link;
    } catch {
      throw new TmuxError(`can't find window: ${text.replace(/^=/, '')}`);
    }
  }

  /** Null if the session has no such window. */
  #windowIn(session: TmuxSession, word: string): WindowLink | null {
    const isExact = word.startsWith('=');
    const text = isExact ? word.slice(1) : word;
    const { links, current } = session;
    if (text.startsWith('@')) {
      return links.find(({ window }) => `@${window.id}` === text) ?? null;
    }
    const special = isExact ? undefined : specialWindow(session, text);
    if (special !== undefined) return special;
    if (/^\d+$/.test(text)) {
      const link = session.linkAt(Number(text));
      if (link !== null) return link;
    }
    const named = (matches: (name: string) => boolean) => () =>
      links.filter(({ window }) => matches(windowName(window)));
    const candidates = [named((name) => name === text)];
    if (!isExact) {
      candidates.push(
        named((name) => name.startsWith(text)),
        named((name) => globMatches(text, name)),
      );
    }
    return text === '' ? current : only(candidates);
  }

  #pane(link: WindowLink, text: string): Target {
    const pane = paneIn(link.window, text);
    if (pane === null) throw new TmuxError(`can't find pane: ${text}`);
    return targetOf(link, pane);
  }

  #paneAlone(text: string, isOnly: boolean): Target {
    if (text.startsWith('%')) {
      const pane = this.#server.panes.find(({ id }) => `%${id}` === text);
      const current = this.current()?.session;
      const link =
        pane &&
        (current?.linkOf(pane.window) ?? this.#server.sessionOf(pane.window)?.linkOf(pane.window));
      if (link) return targetOf(link, pane);
      throw new TmuxError(`can't find pane: ${text}`);
    }
    const current = this.current();
    const pane = current && paneIn(current.link.window, text, current.pane);
    if (current !== null && pane) return targetOf(current.link, pane);
    if (!isOnly) {
      try {
        if (!text.startsWith('=')) return targetOf(this.#window(text, { isOnly: false }));
      } catch {
        // The message below names what was asked for.
      }
    }
    throw new TmuxError(`can't find pane: ${text}`);
  }
}

interface Parts {
  readonly session?: string;
  readonly window?: string;
  readonly pane?: string;
  readonly isWindowOnly: boolean;
  readonly isPaneOnly: boolean;
}

/** Splits `session:window.pane`. What stands alone is what its first character or the command says. */
function partsOf(text: string, type: TargetType): Parts {
  const colon = text.indexOf(':');
  const period = text.indexOf('.', colon === -1 ? 0 : colon);
  const hasPeriod = period !== -1;
  const flags = { isWindowOnly: colon !== -1, isPaneOnly: hasPeriod };
  const part = (name: 'session' | 'window' | 'pane', value: string) =>
    value === '' || value === '=' ? {} : { [name]: words[name].get(value) ?? value };
  if (colon !== -1) {
    const window = text.slice(colon + 1, hasPeriod ? period : undefined);
    const session = part('session', text.slice(0, colon));
    const pane = hasPeriod ? part('pane', text.slice(period + 1)) : {};
    const all: Parts = { ...session, ...part('window', window), ...pane, ...flags };
    // `:` alone is the current window.
    return all.session === undefined && all.window === undefined && all.pane === undefined
      ? { ...all, window: '' }
      : all;
  }
  if (hasPeriod) {
    const all: Parts = {
      ...part('window', text.slice(0, period)),
      ...part('pane', text.slice(period + 1)),
      ...flags,
    };
    return all.window === undefined && all.pane === undefined ? { ...all, window: '' } : all;
  }
  if (text.startsWith('$')) return { session: text, ...flags };
  if (text.startsWith('@')) return { window: text, ...flags };
  if (text.startsWith('%')) return { pane: text, ...flags };
  return { ...part(type, text), ...flags };
}

/** Words for the signs of windows and panes. */
const words: Readonly<Record<TargetType, ReadonlyMap<string, string>>> = {
  session: new Map(),
  window: new Map([
    ['{start}', '^'],
    ['{last}', '!'],
    ['{end}', '$'],
    ['{next}', '+'],
    ['{previous}', '-'],
  ]),
  pane: new Map([
    ['{last}', '!'],
    ['{next}', '+'],
    ['{previous}', '-'],
    ['{top}', 'top'],
    ['{bottom}', 'bottom'],
    ['{left}', 'left'],
    ['{right}', 'right'],
    ['{top-left}', 'top-left'],
    ['{top-right}', 'top-right'],
    ['{bottom-left}', 'bottom-left'],
    ['{bottom-right}', 'bottom-right'],
  ]),
};

/** `+2`, `-`, `!`, `^` and `$`; undefined for anything else. */
function specialWindow(session: TmuxSession, text: string): WindowLink | null | undefined {
  const { links, current, last } = session;
  const [, sign, count] = /^([-+])(\d*)$/.exec(text) ?? [];
  if (sign !== undefined) {
    const step = count === '' ? 1 : Number(count);
    return session.beside(current, sign === '+' ? step : -step);
  }
  if (text === '!') return last;
  if (text === '^') return links[0] ?? null;
  if (text === '$') return links.at(-1) ?? null;
  return undefined;
}

/** The result of the first search that finds one thing; null if it finds several. */
function only<Found>(searches: readonly (() => readonly Found[])[]): Found | null {
  for (const search of searches) {
    const [first, ...more] = search();
    if (first !== undefined) return more.length === 0 ? first : null;
  }
  return null;
}

function indexIn(session: TmuxSession, text: string): number | null {
  if (text === '') return null;
  if (/^\d+$/.test(text)) return Number(text);
  const step = text.length === 1 ? 1 : Number(text.slice(1));
  const index = session.current.index + (text.startsWith('+') ? step : -step);
  if (index >= 0) return index;
  throw new TmuxError('index out of range');
}

/**
 * Finds a pane of a window by its id, its index, its place, or from another one.
 *
 * @param from of the steps `+` and `-`, and of `{up-of}`; default: the active pane
 * @returns null if there is none
 */
function paneIn(window: TmuxWindow, word: string, from: TmuxPane = window.active): TmuxPane | null {
  const text = word;
  const { panes } = window;
  if (text.startsWith('%')) return panes.find(({ id }) => `%${id}` === text) ?? null;
  if (text === '!') return window.last;
  const beyond = neighbours.get(text);
  if (beyond !== undefined) return window.neighbour(window.active, beyond[0], beyond[1]);
  const [, sign, count] = /^([-+])(\d*)$/.exec(text) ?? [];
  if (sign !== undefined) {
    const step = (count === '' ? 1 : Number(count)) * (sign === '+' ? 1 : -1);
    const start = panes.includes(from) ? from : window.active;
    const at = (panes.indexOf(start) + step) % panes.length;
    return panes[(at + panes.length) % panes.length] ?? null;
  }
  if (/^\d+$/.test(text)) {
    return panes.find(({ index }) => index === Number(text)) ?? null;
  }
  const isAt = corners.get(text);
  const cells = isAt === undefined ? [] : window.shownLayout.root.leaves();
  return cells.find((cell) => isAt?.(cell, window))?.pane ?? null;
}

const neighbours: ReadonlyMap<string, readonly [Direction, 1 | -1]> = new Map([
  ['{up-of}', ['column', -1]],
  ['{down-of}', ['column', 1]],
  ['{left-of}', ['row', -1]],
  ['{right-of}', ['row', 1]],
]);

/** The places of a window: the side or the corner that a pane touches. */
const sides: Readonly<Record<string, (cell: LayoutCell<TmuxPane>, at: TmuxWindow) => boolean>> = {
  top: (cell) => cell.y === 0,
  bottom: (cell, { rows }) => cell.y + cell.rows === rows,
  left: (cell) => cell.x === 0,
  right: (cell, { cols }) => cell.x + cell.cols === cols,
  'top-left': (cell) => cell.x === 0 && cell.y === 0,
  'top-right': (cell, { cols }) => cell.y === 0 && cell.x + cell.cols === cols,
  'bottom-left': (cell, { rows }) => cell.x === 0 && cell.y + cell.rows === rows,
  'bottom-right': (cell, { cols, rows }) =>
    cell.x + cell.cols === cols && cell.y + cell.rows === rows,
};

const corners = new Map(Object.entries(sides));
