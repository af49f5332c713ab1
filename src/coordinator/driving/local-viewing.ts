import { Latest } from '#base';
import { checkSize, type Size, type Viewer, type Viewing, type ViewingState } from '#model';

/** What a viewing asks of its session. */
export interface ViewingActions {
  take(viewing: LocalViewing, force: boolean): Promise<void>;
  give(viewing: LocalViewing, note: string | undefined): Promise<void>;
  resized(viewing: LocalViewing): Promise<void>;
  left(viewing: LocalViewing): Promise<void>;
}

/** A {@link Viewing} of a session of this process. */
export class LocalViewing implements Viewing {
  readonly id: string;
  readonly #actions: ViewingActions;
  readonly #states: Latest<ViewingState>;
  #viewer: Viewer;
  #leaving: Promise<void> | null = null;

  constructor(id: string, viewer: Viewer, actions: ViewingActions, first: ViewingState) {
    this.id = id;
    this.#viewer = viewer;
    this.#actions = actions;
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
    this.#states.close();
  }

  async take({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    if (this.#leaving === null) await this.#actions.take(this, force);
  }

  async give({ note }: { readonly note?: string } = {}): Promise<void> {
    if (this.#leaving === null) await this.#actions.give(this, note);
  }

  async resize(size: Size): Promise<void> {
    const { cols, rows } = checkSize(size);
    this.#viewer = { ...this.#viewer, size: { cols, rows } };
    if (this.#leaving === null) await this.#actions.resized(this);
  }

  dispose(): Promise<void> {
    this.#leaving ??= this.#actions.left(this);
    this.#states.close();
    return this.#leaving;
  }

  [Symbol.asyncIterator](): AsyncIterator<ViewingState> {
    return this.#states[Symbol.asyncIterator]();
  }
}
