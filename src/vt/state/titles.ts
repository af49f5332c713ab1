import { cleanLine } from '#base';

/** In UTF-16 code units; longer titles are truncated. */
const maxTitleLength = 4096;
/** The same limit as xterm. */
const maxStack = 10;

interface TitlePair {
  readonly window: string;
  readonly icon: string;
}

/** The titles of the window and its icon (OSC 0, 1, 2), and xterm's stack of them (CSI 22 t). */
export class Titles {
  #window = '';
  #icon = '';
  #stack: TitlePair[] = [];
  #changed = false;

  /** Allocated memory in bytes. */
  get bytes(): number {
    const pairs = [this, ...this.#stack];
    return pairs.reduce((sum, { window, icon }) => sum + 2 * (window.length + icon.length), 0);
  }

  get window(): string {
    return this.#window;
  }

  get icon(): string {
    return this.#icon;
  }

  get stack(): readonly TitlePair[] {
    return this.#stack;
  }

  setWindow(title: string): void {
    const clean = cleanLine(title, maxTitleLength);
    if (clean === this.#window) return;
    this.#window = clean;
    this.#changed = true;
  }

  setIcon(title: string): void {
    this.#icon = cleanLine(title, maxTitleLength);
  }

  /** On a full stack, drops the oldest pair. */
  push(): void {
    if (this.#stack.length === maxStack) this.#stack.shift();
    this.#stack.push({ window: this.#window, icon: this.#icon });
  }

  pop(which: { window: boolean; icon: boolean }): void {
    const pair = this.#stack.pop();
    if (pair === undefined) return;
    if (which.window) this.setWindow(pair.window);
    if (which.icon) this.setIcon(pair.icon);
  }

  /** Whether the window's title changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }
}
