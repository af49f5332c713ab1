import type { CopyMode } from './copy-mode.ts';
import type { Search } from './copy-search.ts';
import type { ListMode } from './list-mode.ts';

/** What a pane of tmux shows in place of its program. */
export type ModeName =
  | 'buffer-mode'
  | 'client-mode'
  | 'clock-mode'
  | 'copy-mode'
  | 'options-mode'
  | 'tree-mode'
  | 'view-mode';

export interface Mode {
  readonly name: ModeName;
  readonly copy: CopyMode | null;
  /** Of a mode in which something is chosen from a list. */
  readonly list: ListMode | null;
  /** Whether it has zoomed the pane, until it ends. */
  readonly zooms: boolean;
}

/** The modes of a pane, of which the latest counts. Their programs run on. */
export class PaneModes {
  #stack: readonly Mode[] = [];
  /** How often the next command of copy mode is done. */
  times = 1;
  /** The last search, also of a copy mode that has ended. */
  lastSearch: Search | null = null;

  get count(): number {
    return this.#stack.length;
  }

  get current(): Mode | null {
    return this.#stack[0] ?? null;
  }

  /** Whether the pane is in a mode, also below another one. */
  has(name: ModeName): boolean {
    return this.#stack.some((mode) => mode.name === name);
  }

  /** Begins a mode, or goes back to it. */
  enter(
    name: ModeName,
    { copy = null, list = null, zooms = false }: Partial<Omit<Mode, 'name'>> = {},
  ): void {
    const entry = this.#stack.find((mode) => mode.name === name) ?? { name, copy, list, zooms };
    this.#stack = [entry, ...this.#stack.filter((mode) => mode.name !== name)];
  }

  /** Ends the current mode. */
  leave(): void {
    this.#stack = this.#stack.slice(1);
  }

  leaveAll(): void {
    this.#stack = [];
  }
}
