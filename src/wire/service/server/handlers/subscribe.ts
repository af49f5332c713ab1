import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ignored } from '#base';
import { type SubscribeEvent, SubscribeEventSchema, type SubscribeRequest } from '#messages';
import type {
  Cell,
  Coordinator,
  ScreenRequest,
  ScreenSnapshot,
  SessionRef,
  Subscription,
  SubscriptionEvent,
} from '#model';
import { fromNamed } from '../../convert/driver.ts';
import { fromCommandFields, fromSubscribeFields, toEvent } from '../../convert/event.ts';
import { field, toTimestamp } from '../../convert/field.ts';
import { toScreen } from '../../convert/screen.ts';
import { toStatus } from '../../errors.ts';
import { accepted } from '../limits/accepted.ts';

/**
 * Yields the events that a subscriber requested until the session ends or the subscriber leaves. The
 * next event is read when the client has received the last one; each source limits its own queue.
 */
export async function* subscribe(
  coordinator: Coordinator,
  request: SubscribeRequest,
  context: HandlerContext,
  maxSnapshots: number,
): AsyncIterable<SubscribeEvent> {
  const session = fromNamed(request);
  const { name, includeScreenUpdates, changedRowsOnly } = request;
  // Both in one accepted call, so that they begin at the same state.
  const [events, changes, commands] = await accepted(context, () =>
    Promise.all([
      subscribeTo(coordinator, session, request),
      // Its snapshots are taken by `screen`.
      includeScreenUpdates ? coordinator.subscribe(session, { scrollbackLines: 0 }) : null,
      // Alone, they are the events.
      request.includeCommands && (request.includeEvents || request.includeRawOutput)
        ? coordinator.subscribe(session, fromCommandFields(request))
        : null,
    ]),
  );
  const messageOf = outputMessages(request);
  const sources = [messagesOf(events, messageOf)];
  if (commands !== null) sources.push(messagesOf(commands, commandMessage));
  if (changes !== null) {
    const screen = (wish: ScreenRequest) =>
      coordinator.screen(session, { ...wish, ...field('redact', request.redact) });
    const snapshots = new ScreenFeed(screen, changes, maxSnapshots);
    sources.push(screenUpdates(name, snapshots, changedRowsOnly));
  }
  const leave = () => {
    events.dispose();
    changes?.dispose();
    commands?.dispose();
  };
  context.signal.addEventListener('abort', leave);
  try {
    let exit: SubscribeEvent | null = null;
    // An echo of what a person types passes no more steps than it has to.
    for await (const each of sources.length === 1 ? events : merge(sources)) {
      const event = '$typeName' in each ? each : messageOf(each);
      if (event?.event.case === 'sessionExited') exit = event;
      else if (event !== null) yield event;
    }
    context.signal.throwIfAborted();
    if (exit !== null) yield exit;
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    context.signal.removeEventListener('abort', leave);
    leave();
  }
}

/**
 * Raw output without events begins at a mark: it has no state, and no output may be in a state that is
 * made later.
 */
async function subscribeTo(
  coordinator: Coordinator,
  session: SessionRef,
  request: SubscribeRequest,
): Promise<Subscription> {
  const fields = fromSubscribeFields(request);
  const { includeEvents, includeRawOutput } = request;
  if (includeEvents || !includeRawOutput) return coordinator.subscribe(session, fields);
  const since = await coordinator.mark(session);
  return coordinator.subscribe(session, { ...fields, since });
}

const commandTypes: ReadonlySet<string> = new Set(['commands', 'command', 'agentCommand']);

type ToMessage = (event: SubscriptionEvent) => SubscribeEvent | null;

/** The exit is that of the other events. */
const commandMessage: ToMessage = (event) => (event.type === 'exit' ? null : toEvent(event));

/** Returns what makes messages of the session's events that were requested, and always of the exit. */
function outputMessages({
  includeEvents,
  includeRawOutput,
  includeCommands,
}: SubscribeRequest): ToMessage {
  let began = false;
  return (event) => {
    const { type } = event;
    const isFirst = !began;
    began = true;
    const isOfCommands = includeCommands && commandTypes.has(type);
    if (includeEvents || type === 'exit' || isOfCommands) return toEvent(event);
    if (includeRawOutput && type === 'output') {
      return toEvent(event, { case: 'rawOutput', value: event.bytes });
    }
    // Output was dropped: the state after it replaces it.
    return includeRawOutput && type === 'snapshot' && !isFirst ? toEvent(event) : null;
  };
}

async function* messagesOf(
  events: Subscription,
  messageOf: ToMessage,
): AsyncIterable<SubscribeEvent> {
  for await (const event of events) {
    const message = messageOf(event);
    if (message !== null) yield message;
  }
}

/** Yields the values of several sources as they arrive, until all have ended. A failing one ends all. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (iterator: AsyncIterator<T>) =>
    iterator.next().then((result) => ({ iterator, result }));
  const pending = new Map(iterators.map((iterator) => [iterator, next(iterator)]));
  try {
    while (pending.size > 0) {
      const { iterator, result } = await Promise.race(pending.values());
      // Requeued last: a source that always has a value must not starve the others.
      pending.delete(iterator);
      if (result.done) continue;
      pending.set(iterator, next(iterator));
      yield result.value;
    }
  } finally {
    // The call is not awaited: a source returns only after its pending value.
    for (const iterator of pending.keys()) ignored(iterator.return?.(), 'nobody reads on');
    for (const each of pending.values()) ignored(each, 'nobody reads on');
  }
}

/**
 * Yields an update for each screen that differs from the one before.
 *
 * @param changedRowsOnly updates after the first contain the changed rows, not the whole screen
 */
async function* screenUpdates(
  name: string,
  snapshots: AsyncIterable<TakenSnapshot>,
  changedRowsOnly: boolean,
): AsyncIterable<SubscribeEvent> {
  let last: ScreenSnapshot | null = null;
  for await (const { screen, atMs, skipped } of snapshots) {
    const isNew = last === null || !isSameShape(last, screen);
    const changedRows = isNew ? [...screen.text.keys()] : changedRowsOf(last, screen);
    if (isNew || changedRows.length > 0 || differsOutsideRows(last, screen)) {
      const full = isNew || !changedRowsOnly;
      const shown = full ? screen : rowsOf(screen, changedRows);
      const value = { screen: toScreen(name, shown), full, changedRows, skipped };
      yield create(SubscribeEventSchema, {
        event: { case: 'screenUpdate', value },
        revision: BigInt(screen.revision),
        at: toTimestamp(atMs),
      });
    }
    last = screen;
  }
}

const rowsOf = (screen: ScreenSnapshot, rows: readonly number[]): ScreenSnapshot => ({
  ...screen,
  cells: rows.map((row) => screen.cells?.[row] ?? []),
});

const isSameShape = (a: ScreenSnapshot | null, b: ScreenSnapshot): a is ScreenSnapshot =>
  a?.size.cols === b.size.cols && a.size.rows === b.size.rows && a.alternate === b.alternate;

function differsOutsideRows(a: ScreenSnapshot | null, b: ScreenSnapshot): boolean {
  return a?.title !== b.title || a.topLine !== b.topLine || !hasSameFields(a.cursor, b.cursor);
}

function changedRowsOf(before: ScreenSnapshot | null, after: ScreenSnapshot): number[] {
  const changed = [];
  for (const [row, cells] of (after.cells ?? []).entries()) {
    if (!isSameRow(before?.cells?.[row] ?? [], cells)) changed.push(row);
  }
  return changed;
}

/** Unchanged rows are mostly the same objects. */
const isSameRow = (a: readonly Cell[], b: readonly Cell[]): boolean =>
  a === b || (a.length === b.length && b.every((cell, col) => isSameCell(a[col], cell)));

const isSameCell = (a: Cell | undefined, b: Cell): boolean =>
  a === b || (a?.text === b.text && a.width === b.width && hasSameFields(a.style, b.style));

function hasSameFields<T extends object>(a: T, b: T): boolean {
  if (a === b) return true;
  for (const name in b) if (a[name] !== b[name]) return false;
  return true;
}

/**
 * Least time between two screens during continuous output, in ms: about what a person can see. The
 * first change after a pause is taken at once.
 */
const pauseMs = 16;

interface TakenSnapshot {
  readonly screen: ScreenSnapshot;
  readonly atMs: number;
  /** Screens that were dropped since the last one that the consumer read. */
  readonly skipped: number;
}

type ReadScreen = (request: ScreenRequest) => Promise<ScreenSnapshot>;

/**
 * The screens of a session as they change, for one consumer. Up to `maxSnapshots` wait for it; when
 * there are more, all but the newest are dropped.
 */
class ScreenFeed implements AsyncIterableIterator<TakenSnapshot> {
  readonly #screen: ReadScreen;
  readonly #changes: Subscription;
  readonly #maxSnapshots: number;
  #waiting: Omit<TakenSnapshot, 'skipped'>[] = [];
  #skipped = 0;
  /** Runs for {@link pauseMs} after each screen. */
  #pause: NodeJS.Timeout | null = null;
  /** Whether the screen has changed since the last one was taken. */
  #changed = false;
  #changedMs = 0;
  #ended = false;
  #failure: unknown = null;
  #wake = () => {};

  constructor(screen: ReadScreen, changes: Subscription, maxSnapshots: number) {
    this.#screen = screen;
    this.#changes = changes;
    this.#maxSnapshots = maxSnapshots;
    this.#collect().catch((error) => this.#end(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TakenSnapshot>> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const snapshot = this.#waiting.shift();
    if (snapshot !== undefined) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      return { done: false, value: { ...snapshot, skipped } };
    }
    if (this.#failure !== null) throw this.#failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<TakenSnapshot>> {
    this.#waiting = [];
    this.#end();
    return { done: true, value: undefined };
  }

  async #collect(): Promise<void> {
    for await (const { atMs } of this.#changes) {
      this.#changedMs = atMs;
      if (this.#pause === null) await this.#takeAndPause();
      else this.#changed = true;
    }
    clearTimeout(this.#pause ?? undefined);
    // The last change.
    if (this.#changed) await ignored(this.#take(), 'the session may have been removed');
    this.#end();
  }

  /** Takes a screen, and another after the pause if it has changed by then. */
  async #takeAndPause(): Promise<void> {
    this.#changed = false;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#changed) this.#takeAndPause().catch((error) => this.#end(error));
    }, pauseMs);
    await this.#take();
  }

  async #take(): Promise<void> {
    const screen = await this.#screen({ format: 'cells' });
    if (this.#ended) return;
    this.#waiting.push({ screen, atMs: this.#changedMs });
    const tooMany = this.#waiting.length > this.#maxSnapshots;
    if (tooMany) this.#skipped += this.#waiting.splice(0, this.#waiting.length - 1).length;
    this.#wake();
  }

  #end(failure: unknown = null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    clearTimeout(this.#pause ?? undefined);
    this.#changes.dispose();
    this.#wake();
  }
}
