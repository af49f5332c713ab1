import { type Clock, encodeUtf8 } from '#base';
import { parseKey } from '#keys';
import { type CommandRecord, type Coordinator, type MouseInput, type Size, VtrError } from '#model';
import type { Picture, TtyEvent } from '#tty';
import { Terminal } from '#vt';
import { searchLines } from '#watch';
import { Keys } from '../../../src/app/tui/keys.ts';
import {
  type Action,
  compose,
  type Effect,
  initialView,
  screenOf,
  update,
  type ViewOptions,
  ViewReads,
  type ViewState,
} from '../../../src/app/tui/view/view.ts';

/** Runs what is deferred at once. */
const immediate = {
  nowMs: () => 0,
  afterPendingIo: (run: () => void) => {
    queueMicrotask(run);
    return { dispose: () => {} };
  },
} as unknown as Clock;

/**
 * A view of a session that exists in this process: its own terminal has the whole scrollback, the copy
 * that the view has begins at the screen of the beginning.
 */
export class ViewedSession {
  readonly terminal: Terminal;
  readonly copy: Terminal;
  /** The ledger. */
  commands: readonly CommandRecord[] = [];
  /** Effects that are not reads, in their order. */
  readonly effects: Effect[] = [];
  state: ViewState;
  nowMs = 1_000_000;
  #reads: ViewReads;
  #pending: Promise<unknown>[] = [];

  constructor(
    options: Partial<ViewOptions> & {
      size?: Size;
      earlier?: string | Uint8Array;
      maxLines?: number;
    } = {},
  ) {
    const { size = { cols: 80, rows: 24 }, earlier = '', maxLines = 200_000, ...view } = options;
    this.terminal = new Terminal({ size, scrollback: { maxLines, maxBytes: 2 ** 30 } });
    this.terminal.feed(bytesOf(earlier));
    const { dump, firstLine } = this.terminal.snapshot({ scrollbackLines: 0 });
    this.copy = new Terminal({ size, firstLine });
    this.copy.feed(dump);
    this.state = initialView({
      window: size,
      session: 'build',
      coordinator: 'default',
      status: 'auto',
      notifications: 'pass',
      keys: new Keys({ key: 'b', ctrl: true }),
      ...view,
    });
    this.#reads = new ViewReads({
      coordinator: this.#coordinator(),
      session: 'build',
      terminal: () => this.copy,
    });
    this.show();
  }

  /** Output of the program. */
  print(output: string | Uint8Array): void {
    this.terminal.feed(bytesOf(output));
    this.copy.feed(bytesOf(output));
    this.show();
  }

  resize(size: Size): void {
    this.terminal.resize(size);
    this.copy.resize(size);
    this.show();
  }

  show(): void {
    this.act({ type: 'screen', screen: screenOf(this.copy, this.state.screen) });
  }

  drive(drives = true): void {
    this.act({
      type: 'viewing',
      viewing: { drives, driver: null, epoch: 1, name: '', viewers: [] },
    });
  }

  act(action: Action): void {
    const { state, effects } = update(this.state, action, this.nowMs);
    this.state = state;
    for (const effect of effects) this.#run(effect);
  }

  /** Waits for the answers to all reads. */
  async settle(): Promise<void> {
    while (this.#pending.length > 0) await this.#pending.shift();
  }

  /** Presses keys given by their short forms, and waits for what they cause. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.event(keyEvent(key));
      await this.settle();
    }
  }

  /** Types characters. */
  async type(text: string): Promise<void> {
    await this.press(...[...text].map((character) => (character === ' ' ? 'space' : character)));
  }

  mouse(mouse: MouseInput): void {
    this.event({ type: 'mouse', mouse });
  }

  event(event: TtyEvent): void {
    this.act({ type: 'event', event });
  }

  picture(before: Picture | null = null): Picture {
    return compose(this.state, before);
  }

  /** What is shown, a string per row without trailing blanks. */
  rows(): string[] {
    return this.picture().rows.map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    );
  }

  /** The text that was copied last. */
  get copied(): string | null {
    const copy = this.effects.findLast(({ type }) => type === 'copy');
    return copy?.type === 'copy' ? copy.text : null;
  }

  #run(effect: Effect): void {
    const answer = this.#reads.run(effect);
    if (answer === null) this.effects.push(effect);
    else if (answer instanceof Promise) {
      this.#pending.push(answer.then((action) => this.act(action)));
    } else this.act(answer);
  }

  #coordinator(): Coordinator {
    const { terminal } = this;
    const lineTexts = function* (from: number, to: number) {
      for (const { line, reader } of terminal.readLines(from, to)) {
        yield { line, text: reader.spaced() };
      }
    };
    const coordinator: Partial<Coordinator> = {
      readLines: async (_session, { from = 0, to = terminal.endLine, format = 'text' } = {}) => {
        const lines = [...terminal.readLines(from, to)].map(({ line, reader }) => ({
          number: line,
          text: format === 'ansi' ? reader.ansi() : reader.text(),
        }));
        const { revision, firstLine, topLine, endLine } = terminal;
        const oldestLine = firstLine;
        return { revision, firstLine, oldestLine, topLine, endLine, lines, dropped: 0 };
      },
      search: (_session, request) => searchLines({ terminal, lineTexts }, request, immediate),
      commandOutput: async (_session, { command: choice } = {}) => {
        const command =
          this.commands.find(({ number }) => number === choice) ?? this.commands.at(-1);
        if (command === undefined) throw new VtrError('COMMAND_NOT_FOUND', 'no command');
        const text = { head: '', tail: 'a\nb', omitted: null, tokens: 1 };
        return { command, text, openEnd: false, gap: { lines: 0, bytes: 0 } };
      },
      commands: async () => ({ commands: this.commands, dropped: 0, integration: 'integrated' }),
    };
    return coordinator as Coordinator;
  }
}

const bytesOf = (output: string | Uint8Array): Uint8Array =>
  typeof output === 'string' ? encodeUtf8(output) : output;

/** Returns the event of a key given by its short form. */
export const keyEvent = (key: string): TtyEvent => ({
  type: 'key',
  action: 'press',
  bytes: new Uint8Array(0),
  press: parseKey(key),
});
