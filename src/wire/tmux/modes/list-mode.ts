/** A pane whose screen is shown below a list. */
export interface ListedPane {
  readonly id: number;
  /** Shown in a box over the screen; empty for none. */
  readonly label: string;
  readonly isCurrent: boolean;
}

/** A line of a list from which a person chooses. */
export interface ListNode {
  /** Identifies it while the list changes. */
  readonly id: string;
  readonly name: string;
  /** A format, already expanded; shown after the name. */
  readonly text: string;
  /** What stands for `%%` in the command for the chosen one. */
  readonly target: string;
  readonly children: readonly ListNode[];
  /** The panes whose screens are shown below the list, beside each other; none for the text. */
  readonly panes: readonly ListedPane[];
  /** Shown below the list, where no pane is. */
  readonly lines: readonly string[];
  /** What removes it; null if nothing does. */
  readonly removes: { readonly question: string; readonly commands: string } | null;
}

/** A line as it is shown. */
export interface ListLine {
  readonly node: ListNode;
  readonly depth: number;
  /** Whether it is the last one of its parent. */
  readonly isLast: boolean;
  /** Whether the parents, from the top on, are the last of theirs. */
  readonly areParentsLast: readonly boolean[];
  /** The key that chooses it; empty if there is none left. */
  readonly key: string;
}

/** What a key does to the list: nothing else, ends the mode, runs a command, asks before it runs one. */
export type ListAct =
  | { readonly type: 'none' }
  | { readonly type: 'leave' }
  | { readonly type: 'run'; readonly commands: string; readonly leaves: boolean }
  | { readonly type: 'ask'; readonly question: string; readonly commands: string }
  | { readonly type: 'search' };

const none: ListAct = { type: 'none' };

export interface ListOptions {
  /** Reads what there is now. */
  readonly read: () => Promise<readonly ListNode[]>;
  /** The ids of nodes that show their children at first. */
  readonly opened: readonly string[];
  /** The id of the node that is selected at first. */
  readonly selected: string;
  /** The commands for the target that was chosen. */
  readonly commandsFor: (target: string) => string;
  readonly hasPreview: boolean;
  /** The name of the order, shown below the list. */
  readonly order: string;
}

/** The keys of the lines, in their order. */
const keys = [
  ...Array.from({ length: 10 }, (_none, at) => String(at)),
  ...Array.from({ length: 26 }, (_none, at) => `M-${String.fromCharCode(97 + at)}`),
];

/** A list or a tree from which a person chooses: sessions with their windows and panes, buffers, clients. */
export class ListMode {
  readonly options: ListOptions;
  nodes: readonly ListNode[] = [];
  hasPreview: boolean;
  /** The first line that is shown. */
  offset = 0;
  readonly tagged = new Set<string>();
  readonly #opened: Set<string>;
  #selected: string;
  /** Lines that fit, as drawn last. */
  height = 1;
  search = '';

  constructor(options: ListOptions) {
    this.options = options;
    this.hasPreview = options.hasPreview;
    this.#opened = new Set(options.opened);
    this.#selected = options.selected;
  }

  async read(): Promise<void> {
    this.nodes = await this.options.read();
  }

  get lines(): readonly ListLine[] {
    const lines: ListLine[] = [];
    const add = (nodes: readonly ListNode[], parents: readonly boolean[]) => {
      for (const [at, node] of nodes.entries()) {
        const isLast = at === nodes.length - 1;
        const key = keys[lines.length] ?? '';
        lines.push({ node, depth: parents.length, isLast, areParentsLast: parents, key });
        if (this.isOpen(node)) add(node.children, [...parents, isLast]);
      }
    };
    add(this.nodes, []);
    return lines;
  }

  isOpen(node: ListNode): boolean {
    return this.#opened.has(node.id);
  }

  /** The index of the selected line. */
  get at(): number {
    return Math.max(
      0,
      this.lines.findIndex(({ node }) => node.id === this.#selected),
    );
  }

  get selected(): ListNode | null {
    return this.lines[this.at]?.node ?? null;
  }

  /** Lets the selected line be among those that are shown. */
  show(height: number): void {
    this.height = Math.max(1, height);
    const { at, lines } = this;
    if (at < this.offset) this.offset = at;
    if (at >= this.offset + this.height) this.offset = at - this.height + 1;
    this.offset = Math.max(0, Math.min(this.offset, lines.length - this.height));
  }

  /** @param key its name in tmux */
  press(key: string): ListAct {
    const { lines } = this;
    const byKey = lines.findIndex((line) => line.key === key && key !== '');
    if (byKey !== -1) {
      this.#select(byKey);
      return this.#chosen();
    }
    const move = this.#moves[key];
    if (move !== undefined) {
      move();
      return none;
    }
    switch (key) {
      case 'q':
      case 'Escape':
      case 'C-c':
      case 'C-g':
        return { type: 'leave' };
      case 'Enter':
        return this.#chosen();
      case 'x':
        return this.selected?.removes ? { type: 'ask', ...this.selected.removes } : none;
      case '/':
      case 'C-s':
        return { type: 'search' };
      default:
        return none;
    }
  }

  readonly #moves: Readonly<Record<string, () => void>> = {
    Up: () => this.#step(-1),
    k: () => this.#step(-1),
    'C-p': () => this.#step(-1),
    WheelUpPane: () => this.#step(-1),
    Down: () => this.#step(1),
    j: () => this.#step(1),
    'C-n': () => this.#step(1),
    WheelDownPane: () => this.#step(1),
    PPage: () => this.#select(this.at - this.height),
    'C-b': () => this.#select(this.at - this.height),
    NPage: () => this.#select(this.at + this.height),
    'C-f': () => this.#select(this.at + this.height),
    g: () => this.#select(0),
    Home: () => this.#select(0),
    G: () => this.#select(Number.MAX_SAFE_INTEGER),
    End: () => this.#select(Number.MAX_SAFE_INTEGER),
    Right: () => this.#open(),
    l: () => this.#open(),
    '+': () => this.#open(),
    Left: () => this.#close(),
    h: () => this.#close(),
    '-': () => this.#close(),
    t: () => this.#tag(),
    T: () => this.tagged.clear(),
    v: () => {
      this.hasPreview = !this.hasPreview;
    },
    n: () => this.find(1),
    N: () => this.find(-1),
  };

  /** Selects a line that was clicked. @param row below the first one that is shown */
  click(row: number): ListAct {
    const at = this.offset + row;
    if (at >= this.lines.length || row >= this.height) return none;
    const isAgain = at === this.at;
    this.#select(at);
    return isAgain ? this.#chosen() : none;
  }

  /** Goes to the next line whose name or text contains what was looked for. */
  find(by: 1 | -1): void {
    const { lines, at } = this;
    if (this.search === '') return;
    for (let step = 1; step <= lines.length; step++) {
      const next = (at + by * step + lines.length * step) % lines.length;
      const node = lines[next]?.node;
      if (node === undefined || !`${node.name} ${node.text}`.includes(this.search)) continue;
      this.#select(next);
      return;
    }
  }

  #chosen(): ListAct {
    const all = this.lines.filter(({ node }) => this.tagged.has(node.id)).map(({ node }) => node);
    const chosen = all.length > 0 ? all : this.selected === null ? [] : [this.selected];
    const commands = chosen.map(({ target }) => this.options.commandsFor(target)).join('\n');
    return commands === '' ? { type: 'leave' } : { type: 'run', commands, leaves: true };
  }

  /** Goes around the ends. */
  #step(by: 1 | -1): void {
    const count = this.lines.length;
    if (count > 0) this.#select((this.at + by + count) % count);
  }

  #select(at: number): void {
    const { lines } = this;
    const line = lines[Math.max(0, Math.min(at, lines.length - 1))];
    if (line !== undefined) this.#selected = line.node.id;
  }

  #open(): void {
    const node = this.selected;
    if (node === null || node.children.length === 0 || this.isOpen(node)) this.#step(1);
    else this.#opened.add(node.id);
  }

  /** Closes the selected one, or goes to its parent. */
  #close(): void {
    const { lines, at } = this;
    const line = lines[at];
    if (line === undefined) return;
    if (this.isOpen(line.node) && line.node.children.length > 0) {
      this.#opened.delete(line.node.id);
      return;
    }
    const parent = lines.slice(0, at).findLastIndex(({ depth }) => depth < line.depth);
    if (parent === -1) this.#step(-1);
    else {
      this.#select(parent);
      this.#opened.delete(lines[parent]?.node.id ?? '');
    }
  }

  #tag(): void {
    const { id } = this.selected ?? {};
    if (id === undefined) return;
    if (!this.tagged.delete(id)) this.tagged.add(id);
    this.#step(1);
  }
}
