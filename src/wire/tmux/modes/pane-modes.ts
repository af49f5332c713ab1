import type { CopyMode } from './copy-mode.ts';
import type { Search } from './copy-search.ts';

/** What a pane of tmux shows in place of its program. */
export type ModeName =
  | 'buffer-mode'
  | 'client-mode'
  | 'clock-mode'
  | 'copy-mode'
  | 'options-mode'
  | 'tree-mode';

interface Mode {
  readonly name: ModeName;
  readonly copy: CopyMode | null;
}

/** The modes of a pane, of which the latest counts. Their programs run on. */
export class PaneModes {
  #stack: readonly Mode[] = [];
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
  enter(name: ModeName, copy: CopyMode | null = null): void {
    const known = this.#stack.find((mode) => mode.name === name) ?? { name, copy };
    this.#stack = [known, ...this.#stack.filter((mode) => mode.name !== name)];
  }

  /** Ends the current mode. */
  leave(): void {
    this.#stack = this.#stack.slice(1);
  }

  leaveAll(): void {
    this.#stack = [];
  }
}
