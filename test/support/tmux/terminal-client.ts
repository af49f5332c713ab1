import { afterAll } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import {
  applyFrame,
  type Cell,
  type Cursor,
  cellsText,
  type MouseTracking,
  type Size,
  type TmuxEnd,
  type TmuxEvent,
  type TmuxFrame,
  type TmuxRequest,
  tmuxFrameOf,
} from '#model';
import { TtyDecoder } from '#tty';
import { TmuxServers } from '#wire/tmux';

/** Servers of tmux over a coordinator, which end after the tests of a file. */
export function serversForAll(): {
  readonly coordinator: LocalCoordinator;
  readonly servers: TmuxServers;
} {
  const coordinator = new LocalCoordinator({});
  const servers = new TmuxServers(coordinator, { pid: process.pid });
  afterAll(async () => {
    servers.dispose();
    await coordinator.close();
  });
  return { coordinator, servers };
}

/** A client of tmux in a terminal, of this process: what it shows, and what a person types in it. */
export class TerminalClient {
  readonly #servers: TmuxServers;
  readonly #id: string;
  readonly #decoder = new TtyDecoder();
  readonly #waiters: (() => void)[] = [];
  /** Of its own: each client waits with it for its next picture. */
  readonly #never = new AbortController().signal;
  rows: readonly (readonly Cell[])[] = [];
  cursor: Cursor | null = null;
  bells = 0;
  mouse: MouseTracking = 'none';
  clipboard: string | null = null;
  end: TmuxEnd | null = null;
  /** Resolves when the client has ended. */
  readonly ended: Promise<void>;

  private constructor(servers: TmuxServers, id: string) {
    this.#servers = servers;
    this.#id = id;
    this.ended = this.#paint();
  }

  /** Runs a command that attaches. */
  static async begin(
    servers: TmuxServers,
    request: Omit<TmuxRequest, 'size' | 'terminal'>,
    { size, path }: { readonly size: Size; readonly path: string },
  ): Promise<TerminalClient> {
    const { controlId, stderr } = await servers.run(
      { ...request, size, terminal: path },
      new AbortController().signal,
    );
    if (controlId === undefined) throw new Error(`no client: ${stderr}`);
    return new TerminalClient(servers, controlId);
  }

  get text(): readonly string[] {
    return this.rows.map(cellsText);
  }

  /** Types what a terminal sends. */
  async type(text: string): Promise<void> {
    const decoded = [...this.#decoder.feed(Buffer.from(text, 'latin1')), ...this.#decoder.flush()];
    const events = decoded.flatMap((event): TmuxEvent[] => {
      if (event.type === 'key') return [{ type: 'key', press: event.press }];
      if (event.type === 'focus') return [{ type: 'focus', focused: event.focused }];
      if (event.type === 'mouse') return [{ type: 'mouse', mouse: event.mouse }];
      return event.type === 'paste' ? [{ type: 'paste', text: event.text }] : [];
    });
    await this.send(...events);
  }

  async send(...events: readonly TmuxEvent[]): Promise<void> {
    const lines = events.map((event) => JSON.stringify(event));
    await this.#servers.control(this.#id, lines, this.#never);
  }

  /** The screen once a row of it matches. */
  async shows(pattern: RegExp): Promise<readonly string[]> {
    while (!this.text.some((row) => pattern.test(row))) {
      if (this.end !== null) throw new Error(`ended: ${this.end.message}`);
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.text;
  }

  /** Asks for pictures as a process that has gone. */
  async vanish(): Promise<void> {
    await this.#servers.control(this.#id, null, AbortSignal.abort());
  }

  async #paint(): Promise<void> {
    for (;;) {
      const { output, ended } = await this.#servers.control(this.#id, null, this.#never);
      if (output !== '') this.#apply(tmuxFrameOf(output));
      for (const waiter of this.#waiters.splice(0)) waiter();
      if (ended) return;
    }
  }

  #apply(frame: TmuxFrame): void {
    this.end = frame.end;
    if (frame.end !== null) return;
    this.rows = applyFrame(this.rows, frame);
    this.cursor = frame.cursor;
    this.mouse = frame.mouse;
    this.bells += frame.bells;
    this.clipboard = frame.clipboard ?? this.clipboard;
  }
}
