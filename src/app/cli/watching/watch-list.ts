import type { SessionInfo } from '#model';
import type { Context } from '../context.ts';
import type { KnownCoordinator } from '../coordinators/known-coordinators.ts';
import { jsonLine } from '../output/printing.ts';
import { listedJson } from '../output/session-json.ts';
import type { ListedSession } from '../output/session-table.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { FollowedList, followSessions } from './follow-sessions.ts';

/** The duration of a state is shown in seconds. */
const repaintMs = 1_000;
/** The shortest time between two paintings, in ms. */
const paintGapMs = 50;

export interface WatchListOptions {
  readonly coordinator: string | undefined;
  /** JSON lines also in a terminal. */
  readonly asJson: boolean;
  readonly isListed: (coordinator: KnownCoordinator, info: SessionInfo) => boolean;
  /** Lays the sessions out, which are in the order of their coordinators. */
  readonly table: (sessions: readonly ListedSession[], columns: number | null) => Promise<string>;
}

/**
 * Prints the list of sessions as it changes, until a signal ends it: in a terminal a table, painted in
 * place; else a line of JSON for each change. Returns the exit status.
 */
export async function watchList(context: Context, options: WatchListOptions): Promise<number> {
  const list = new FollowedList(options.isListed);
  const table =
    options.asJson || !context.isTerminal ? null : new LiveTable(context, list, options.table);
  const stop = new StopSignals();
  const ending = new AbortController();
  const received = stop.received.then((signal) => {
    ending.abort();
    return signal;
  });
  try {
    await followSessions(
      context,
      options.coordinator,
      ending.signal,
      async (coordinator, event) => {
        const changes = list.apply(coordinator, event);
        if (table !== null) table.update();
        else {
          for (const { type, session } of changes) {
            const { coordinator: name, info } = session;
            const { id } = info;
            const value =
              type === 'removed'
                ? { event: type, coordinator: name, id, name: info.name }
                : { event: type, ...listedJson(session) };
            context.out(`${jsonLine(value)}\n`);
          }
          await drained();
        }
      },
    );
    return signalStatus(await received);
  } finally {
    table?.dispose();
    stop.dispose();
  }
}

/** Resolves when stdout takes more: meanwhile, newer states replace those that wait. */
function drained(): Promise<void> {
  if (!process.stdout.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => process.stdout.once('drain', () => resolve()));
}

/** A table that is painted over itself. The last one stays on the screen. */
class LiveTable {
  readonly #context: Context;
  readonly #list: FollowedList;
  readonly #table: WatchListOptions['table'];
  readonly #ticks: NodeJS.Timeout;
  readonly #onResize = () => this.update();
  #pending: NodeJS.Timeout | null = null;
  /** The rows that were painted. */
  #rows = 0;

  constructor(context: Context, list: FollowedList, table: WatchListOptions['table']) {
    this.#context = context;
    this.#list = list;
    this.#table = table;
    this.#ticks = setInterval(() => this.update(), repaintMs);
    process.stdout.on('resize', this.#onResize);
  }

  update(): void {
    this.#pending ??= setTimeout(() => void this.#paint(), paintGapMs);
  }

  dispose(): void {
    clearInterval(this.#ticks);
    clearTimeout(this.#pending ?? undefined);
    process.stdout.off('resize', this.#onResize);
  }

  async #paint(): Promise<void> {
    this.#pending = null;
    if (process.stdout.writableNeedDrain) return;
    const { columns } = this.#context;
    // A line of full width and its end need two rows in some terminals.
    const width = columns === null ? null : columns - 1;
    const text = await this.#table(this.#list.sessions, width);
    const most = (process.stdout.rows || 24) - 1;
    const all = text.trimEnd().split('\n');
    const hidden = all.length - most;
    const rows = hidden <= 0 ? all : [...all.slice(0, most - 1), `… ${hidden + 1} more`];
    const up = this.#rows === 0 ? '' : `\x1b[${this.#rows}F`;
    this.#rows = rows.length;
    this.#context.draw(`${up}${rows.map((row) => `${row}\x1b[K\n`).join('')}\x1b[J`);
  }
}
