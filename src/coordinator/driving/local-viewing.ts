import { type Disposable, Latest } from '#base';
import {
  checkSize,
  type GiveRequest,
  type Size,
  type Viewer,
  type Viewing,
  type ViewingState,
} from '#model';

/** What a viewing asks of its session. */
export interface ViewingActions {
  take(viewing: LocalViewing, force: boolean): Promise<void>;
  give(viewing: LocalViewing, request: Pick<GiveRequest, 'note' | 'to'>): Promise<void>;
  resized(viewing: LocalViewing): Promise<void>;
  /** The person looks at the session now, or does not. */
  looked(): void;
  left(viewing: LocalViewing): Promise<void>;
}

/** Spans of time of a viewing. */
export interface ViewingSpans {
  /** Begins a use of the session, which lasts as long as the viewing. */
  use(): Disposable;
  /** Begins a look of the person at the session. */
  look(): Disposable;
}

interface ViewingParts {
  readonly viewer: Viewer;
  readonly actions: ViewingActions;
  readonly look: ViewingSpans['look'];
  readonly first: ViewingState;
}

/** A {@link Viewing} of a session of this process. */
export class LocalViewing implements Viewing {
  readonly id: string;
  readonly #actions: ViewingActions;
  readonly #beginLook: ViewingSpans['look'];
  readonly #states: Latest<ViewingState>;
  #viewer: Viewer;
  #leaving: Promise<void> | null = null;
  #look: Disposable | null = null;

  constructor(id: string, { viewer, actions, look, first }: ViewingParts) {
    this.id = id;
    this.#viewer = viewer;
    this.#actions = actions;
    this.#beginLook = look;
    this.#states = new Latest(first);
  }

  get viewer(): Viewer {
    return this.#viewer;
  }

  report(state: ViewingState): void {
    this.#states.set(state);
  }

  /** Ends it without giving back: the session is gone, or the same viewing continues elsewhere. */
  end(): void {
    this.#leaving ??= Promise.resolve();
    this.#looks(false);
    this.#states.close();
  }

  async take({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    if (this.#leaving === null) await this.#actions.take(this, force);
  }

  async give(request: Pick<GiveRequest, 'note' | 'to'> = {}): Promise<void> {
    if (this.#leaving === null) await this.#actions.give(this, request);
  }

  async resize(size: Size): Promise<void> {
    const { cols, rows } = checkSize(size);
    this.#viewer = { ...this.#viewer, size: { cols, rows } };
    if (this.#leaving === null) await this.#actions.resized(this);
  }

  async look(looking: boolean): Promise<void> {
    if (this.#leaving !== null) return;
    const { away: _before, ...viewer } = this.#viewer;
    this.#viewer = looking ? viewer : { ...viewer, away: true };
    this.#looks(looking);
    this.#actions.looked();
  }

  dispose(): Promise<void> {
    this.#leaving ??= this.#actions.left(this);
    this.#looks(false);
    this.#states.close();
    return this.#leaving;
  }

  [Symbol.asyncIterator](): AsyncIterator<ViewingState> {
    return this.#states[Symbol.asyncIterator]();
  }

  #looks(looking: boolean): void {
    if (looking) this.#look ??= this.#beginLook();
    else {
      this.#look?.dispose();
      this.#look = null;
    }
  }
}
