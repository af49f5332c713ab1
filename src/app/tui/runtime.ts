import type { Clock, Disposable } from '#base';
import type { MouseTracking, Size, ViewModes } from '#model';
import type { Picture, TtyEvent } from '#tty';
import { isTyped } from './tty-screen/awaited-answers.ts';
import type { Tty } from './tty-screen/tty.ts';

/** The next state, and what is to be done because of it. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What the runtime tells every program. */
export type TtyMessage =
  /** Keys, pastes, the mouse, the focus. */
  | { readonly type: 'event'; readonly event: TtyEvent }
  | { readonly type: 'window'; readonly size: Size }
  /** The time that `wakeAtMs` named has come. */
  | { readonly type: 'time' };

/** What the runtime does for every program. */
export interface TtyEffect {
  readonly type: 'suspend' | 'repaint' | 'ring';
}

/** What a person sees, and what their terminal reports meanwhile. */
export interface Shown {
  readonly picture: Picture;
  /** The modes of the program that gets the keys; null for none. */
  readonly modes: ViewModes | null;
  readonly mouse: MouseTracking;
}

/** What is shown in a person's terminal: attach, ui and the player. */
export interface Program<State, Message, Effect> {
  /** Returns the state after a message. Pure. `nowMs` is the time of the runtime. */
  readonly update: (state: State, message: Message, nowMs: number) => Step<State, Effect>;
  readonly view: (state: State) => Shown;
  /** When the state changes by itself, in ms of the runtime's time; null if it does not. */
  readonly wakeAtMs: (state: State) => number | null;
  /** Does what an update asks for. What comes of it is told. */
  readonly perform: (effect: Exclude<Effect, TtyEffect>) => void;
  /** Returns what changes too often to be told each time. Called before each picture and before input. */
  readonly sample?: () => Message | null;
  /** Called after each change of the state, for what is requested as long as it is shown. */
  readonly follow?: (state: State) => void;
  /** Takes an event in place of `update`, which may be told it later. Returns whether it did. */
  readonly takes?: (event: TtyEvent) => boolean;
}

interface Options<State, Message, Effect> {
  readonly tty: Tty;
  readonly clock: Clock;
  /** The time that updates are given, in ms. Default: the wall clock. */
  readonly nowMs?: () => number;
  readonly first: State;
  readonly program: Program<State, Message | TtyMessage, Effect | TtyEffect>;
}

/** Runs a program in a person's terminal until it ends. */
export class Runtime<
  State,
  Message extends { readonly type: string },
  Effect extends { readonly type: string },
  End,
> {
  readonly #tty: Tty;
  readonly #clock: Clock;
  readonly #nowMs: () => number;
  readonly #program: Program<State, Message | TtyMessage, Effect | TtyEffect>;
  #state: State;
  #listening: readonly Disposable[] = [];
  #wake: Disposable | null = null;
  #isOver = false;
  #resolve: (end: End) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  readonly #ended = new Promise<End>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor({ tty, clock, nowMs, first, program }: Options<State, Message, Effect>) {
    this.#tty = tty;
    this.#clock = clock;
    this.#nowMs = nowMs ?? (() => clock.wallMs());
    this.#state = first;
    this.#program = program;
  }

  get state(): State {
    return this.#state;
  }

  /** Whether the program has ended: what happens from now on changes nothing. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Reads the terminal until `end`, whose argument it returns, or rejects with that of `fail`. */
  async run(): Promise<End> {
    this.#listen();
    try {
      return await this.#ended;
    } finally {
      this.#unlisten();
    }
  }

  end(end: End): void {
    this.#isOver = true;
    this.#wake?.dispose();
    this.#resolve(end);
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#wake?.dispose();
    this.#reject(error);
  }

  tell(message: Message | TtyMessage): void {
    if (this.#isOver) return;
    const before = this.#state;
    this.#apply(message);
    if (this.#state !== before) this.show();
  }

  /** Reads events, as those of the terminal. */
  read(events: readonly TtyEvent[]): void {
    const listening = this.#listening;
    if (!this.#isOver) this.#sample();
    for (const [at, event] of events.entries()) {
      // What is typed ahead belongs to whoever has the terminal now.
      if (this.#isOver || this.#listening !== listening) {
        if (events.slice(at).some(isTyped)) this.#tty.ring();
        return;
      }
      if (this.#program.takes?.(event) !== true) this.tell({ type: 'event', event });
    }
  }

  show(): void {
    if (!this.#isOver && this.#listening.length > 0) this.#tty.show(() => this.#draw());
  }

  /** Lets somebody else read and paint the terminal until `use` ends; messages change the state meanwhile. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    this.#unlisten();
    try {
      return await use();
    } finally {
      if (!this.#isOver) {
        this.#listen();
        this.tell({ type: 'window', size: this.#tty.size });
        this.show();
      }
    }
  }

  #listen(): void {
    this.#listening = [
      this.#tty.onEvents((events) => this.read(events)),
      this.#tty.onResize((size) => this.tell({ type: 'window', size })),
    ];
  }

  #unlisten(): void {
    for (const each of this.#listening) each.dispose();
    this.#listening = [];
  }

  #sample(): void {
    const message = this.#program.sample?.() ?? null;
    if (message !== null) this.#apply(message);
  }

  #draw(): Picture {
    this.#sample();
    const { picture, modes, mouse } = this.#program.view(this.#state);
    this.#tty.setModes(modes, mouse);
    return picture;
  }

  #apply(message: Message | TtyMessage): void {
    const { state, effects } = this.#program.update(this.#state, message, this.#nowMs());
    this.#state = state;
    this.#program.follow?.(state);
    for (const effect of effects) this.#perform(effect);
    this.#wakeLater();
  }

  #perform(effect: Effect | TtyEffect): void {
    switch (effect.type) {
      case 'suspend':
        this.#tty.suspend();
        break;
      case 'repaint':
        this.#tty.repaint();
        break;
      case 'ring':
        this.#tty.ring();
        break;
      default:
        this.#program.perform(effect as Exclude<Effect, TtyEffect>);
    }
  }

  #wakeLater(): void {
    this.#wake?.dispose();
    this.#wake = null;
    const atMs = this.#isOver ? null : this.#program.wakeAtMs(this.#state);
    if (atMs === null) return;
    const leftMs = Math.max(0, atMs - this.#nowMs());
    this.#wake = this.#clock.schedule(leftMs, () => this.tell({ type: 'time' }));
  }
}
