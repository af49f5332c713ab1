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
  /** A format, already expanded; shown after the name. Null: only the name is shown. */
  readonly text: string | null;
  /** Names it above what is shown below the list. Default: its name */
  readonly title?: string;
  /** What stands for `%%` in the command for the chosen one. */
  readonly target: string;
  readonly children: readonly ListNode[];
  /** The panes whose screens are shown below the list, beside each other; none for the text. */
  readonly panes: readonly ListedPane[];
  /** Shown below the list, where no pane is. */
  readonly lines: readonly (string | NodeLine)[];
  /** What keys do to it, by the name of the key. */
  readonly acts: Readonly<Record<string, NodeAct>>;
  /** Nothing is done to it: only its children can be tagged. */
  readonly hasNoTag?: true;
  /** It is part of the one above: if it goes while it is selected, the line before it is selected, as in tmux. */
  readonly isElement?: true;
}

/** A text below a list, which goes on in the next row where it is too long. */
export interface NodeLine {
  readonly text: string;
  /** A style in which an example is shown after the text; empty for none. */
  readonly example: string;
}

/** What a key does to a line of a list. */
export interface NodeAct {
  /** Asked before; null if the key is enough. */
  readonly question: string | null;
  /** The answer is a text, and not whether it is done. */
  readonly typed?: {
    readonly input: string;
    readonly commandsFor: (text: string) => string;
  };
  readonly commands: string;
  /** Whether the mode ends. */
  readonly leaves?: true;
}

/** What a key does to all tagged lines: what another key does to each. */
export interface TaggedAct {
  readonly key: string;
  /** As {@link NodeAct.question}, for a number of lines. */
  readonly question: ((count: number) => string) | null;
}

/** What a list shows, and in which order. */
export interface ListOrder {
  /** One of the orders of the list. */
  readonly sort: string;
  readonly isReversed: boolean;
  /** A format that is true for what is shown; null: all is. */
  readonly filter: string | null;
}

/** A line as it is shown. */
export interface ListLine {
  readonly node: ListNode;
  readonly depth: number;
  /** Whether it is the last one of its parent. */
  readonly isLast: boolean;
  /** Whether neither it nor another child of its parent has children. */
  readonly isFlat: boolean;
  /** Whether the parents, from the top on, are the last of theirs. */
  readonly areParentsLast: readonly boolean[];
  /** The key that chooses it; empty if there is none left. */
  readonly key: string;
}

/** What a key does to the list: nothing else, ends the mode, runs commands, asks before it runs them. */
export type ListAct =
  | { readonly type: 'none' }
  | { readonly type: 'leave' }
  | { readonly type: 'run'; readonly commands: string; readonly leaves: boolean }
  | { readonly type: 'ask'; readonly question: string; readonly commands: string }
  /** The person changes a text. */
  | ({ readonly type: 'edit'; readonly question: string } & NonNullable<NodeAct['typed']>)
  /** The person types what is looked for, a filter, or a command for each of the targets. */
  | { readonly type: 'search' | 'filter' }
  | { readonly type: 'command'; readonly question: string; readonly targets: readonly string[] };

const none: ListAct = { type: 'none' };

export interface ListOptions {
  /** Reads what there is now. Returns no nodes if the filter accepts none. */
  readonly read: (order: ListOrder) => Promise<readonly ListNode[]>;
  /** The ids of nodes that show their children at first. */
  readonly opened: readonly string[];
  /** The id of the node that is selected at first. */
  readonly selected: string;
  /** The commands for the target that was chosen; null: Enter does what the line has for it. */
  readonly commandsFor: ((target: string) => string) | null;
  readonly hasPreview: boolean;
  /** Rows of the part below the list. Default: by the rows of the pane and the number of lines */
  readonly previewRows?: number;
  /** The orders that it can have; none if it has only one, without a name. */
  readonly sorts: readonly string[];
  readonly order: ListOrder;
  /** What keys do to all tagged lines, by the name of the key. */
  readonly taggedActs: Readonly<Record<string, TaggedAct>>;
  /** What keys do besides, by their names: commands. */
  readonly keyCommands?: Readonly<Record<string, string>>;
  /** Whether nothing is left to choose, after which a key ends the mode. Default: it does not */
  readonly isOver?: () => boolean;
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
  /** What was read last; null before the first time. */
  #ids: ReadonlySet<string> | null = null;
  #selected: string;
  /** That of the last time. */
  #orderRead: ListOrder | null = null;
  /** Lines that fit, as drawn last. */
  height = 1;
  search = '';
  order: ListOrder;
  /** Whether the filter accepts nothing: then it does not count. */
  hasNoMatches = false;

  constructor(options: ListOptions) {
    this.options = options;
    this.hasPreview = options.hasPreview;
    this.#opened = new Set(options.opened);
    this.#selected = options.selected;
    this.order = options.order;
  }

  async read(): Promise<void> {
    const { order, at, selected } = this;
    const isSame = order === this.#orderRead;
    this.#orderRead = order;
    this.nodes = await this.options.read(order);
    this.hasNoMatches = order.filter !== null && this.nodes.length === 0;
    if (this.hasNoMatches) this.nodes = await this.options.read({ ...order, filter: null });
    this.#notice();
    const hasGone = isSame && selected !== null && this.#ids?.has(selected.id) === false;
    if (hasGone && selected.isElement === true) this.#select(at - 1);
    // It stays selected in another order.
    this.#selected = this.selected?.id ?? this.#selected;
  }

  /** As in tmux, what is new or comes back is open and has no tag. */
  #notice(): void {
    const ids = new Set(this.nodes.flatMap((node) => [node, ...below(node)]).map(({ id }) => id));
    for (const id of ids) if (this.#ids !== null && !this.#ids.has(id)) this.#opened.add(id);
    for (const id of this.tagged) if (!ids.has(id)) this.tagged.delete(id);
    this.#ids = ids;
  }

  /** What is shown below the list of the order and of the filter. */
  get orderText(): string {
    const { sort, isReversed } = this.order;
    return this.options.sorts.length === 0
      ? ''
      : `(sort: ${sort}${isReversed ? ', reversed' : ''})`;
  }

  get lines(): readonly ListLine[] {
    const lines: ListLine[] = [];
    const add = (nodes: readonly ListNode[], parents: readonly boolean[]) => {
      const isFlat = nodes.every(({ children }) => children.length === 0);
      for (const [at, node] of nodes.entries()) {
        const isLast = at === nodes.length - 1;
        const key = keys[lines.length] ?? '';
        const depth = parents.length;
        lines.push({ node, depth, isLast, isFlat, areParentsLast: parents, key });
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
      case '/':
      case '?':
      case 'C-s':
        return { type: 'search' };
      case 'f':
        return { type: 'filter' };
      case ':':
        return this.#command();
      default:
        return this.#act(key);
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
    // As in tmux, of the uppermost lines only.
    'M-+': () => {
      for (const { id } of this.nodes) this.#opened.add(id);
    },
    'M--': () => {
      for (const { id } of this.nodes) this.#opened.delete(id);
    },
    t: () => this.#tag(),
    T: () => this.tagged.clear(),
    'C-t': () => this.#tagAll(),
    O: () => {
      const { sorts } = this.options;
      const next = sorts[(sorts.indexOf(this.order.sort) + 1) % sorts.length];
      if (next !== undefined) this.order = { ...this.order, sort: next };
    },
    r: () => {
      this.order = { ...this.order, isReversed: !this.order.isReversed };
    },
    H: () => this.#goHome(),
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

  /** Goes to the next line whose name or text contains what was looked for, also one that is not shown. */
  find(by: 1 | -1): void {
    if (this.search === '') return;
    const all = this.nodes.flatMap((node) => [node, ...below(node)]);
    const at = all.findIndex(({ id }) => id === this.#selected);
    const others = by === 1 ? turnedTo(all, at + 1) : turnedTo(all.reverse(), all.length - at);
    // Where options and keys are changed, their values are not searched.
    const isMatch = ({ name, text }: ListNode) =>
      (this.options.commandsFor === null ? name : `${name} ${text}`).includes(this.search);
    const match = others.find(isMatch);
    if (match === undefined) return;
    this.#jump(match.id);
  }

  /** Selects a line that need not be shown. As in tmux, it is the last one that is shown, if it is not on the first page. */
  #jump(id: string): void {
    for (const parent of this.#parentsOf(id)) this.#opened.add(parent.id);
    this.#selected = id;
    this.offset = Math.max(0, this.at - this.height + 1);
  }

  /** As in tmux, the selected line is chosen, whatever is tagged. */
  #chosen(): ListAct {
    const { selected } = this;
    if (this.options.commandsFor === null) return this.#act('Enter');
    const commands = selected === null ? '' : this.options.commandsFor(selected.target);
    return commands === '' ? { type: 'leave' } : { type: 'run', commands, leaves: true };
  }

  /** The tagged nodes, also those of lines that are not shown. */
  get #tagged(): readonly ListNode[] {
    const all = (nodes: readonly ListNode[]): ListNode[] =>
      nodes.flatMap((node) => [...(this.tagged.has(node.id) ? [node] : []), ...all(node.children)]);
    return all(this.nodes);
  }

  #act(key: string): ListAct {
    const { taggedActs, keyCommands } = this.options;
    const commands = keyCommands?.[key];
    if (commands !== undefined) return { type: 'run', commands, leaves: false };
    const ofTagged = taggedActs[key];
    if (ofTagged !== undefined) {
      const acts = this.#tagged.flatMap(({ acts }) => acts[ofTagged.key] ?? []);
      if (acts.length === 0) return none;
      const question = ofTagged.question?.(acts.length) ?? null;
      const all = acts.map((act) => act.commands).join('\n');
      return actOf({ ...acts[0], question, commands: all });
    }
    const act = this.selected?.acts[key];
    return act === undefined ? none : actOf(act);
  }

  #command(): ListAct {
    const tagged = this.#tagged;
    const { selected } = this;
    if (tagged.length === 0 && selected === null) return none;
    const question = tagged.length === 0 ? '(current) ' : `(${tagged.length} tagged) `;
    const nodes = tagged.length === 0 && selected !== null ? [selected] : tagged;
    return { type: 'command', question, targets: nodes.map(({ target }) => target) };
  }

  /** @param wraps whether it goes around the ends */
  #step(by: 1 | -1, wraps = true): void {
    const count = this.lines.length;
    if (count === 0) return;
    this.#select(wraps ? (this.at + by + count) % count : this.at + by);
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

  /** Of a node and those above and below it, one can be tagged. */
  #tag(): void {
    const node = this.selected;
    if (node === null || node.hasNoTag) return;
    if (!this.tagged.delete(node.id)) {
      for (const each of [...this.#parentsOf(node.id), ...below(node)]) this.tagged.delete(each.id);
      this.tagged.add(node.id);
    }
    this.#step(1, false);
  }

  /** Tags the uppermost nodes that can be tagged, as far as they are shown. */
  #tagAll(): void {
    this.tagged.clear();
    for (const node of this.nodes) {
      if (!node.hasNoTag) this.tagged.add(node.id);
      else if (this.isOpen(node)) for (const { id } of node.children) this.tagged.add(id);
    }
  }

  #parentsOf(id: string): readonly ListNode[] {
    const find = (
      nodes: readonly ListNode[],
      parents: readonly ListNode[],
    ): readonly ListNode[] => {
      for (const node of nodes) {
        if (node.id === id) return parents;
        const above = find(node.children, [...parents, node]);
        if (above.length > 0) return above;
      }
      return [];
    };
    return find(this.nodes, []);
  }

  /** Goes to the line that was selected at first. */
  #goHome(): void {
    const { selected } = this.options;
    const all = this.nodes.flatMap((node) => [node, ...below(node)]);
    if (all.some(({ id }) => id === selected)) this.#jump(selected);
  }
}

const below = ({ children }: ListNode): readonly ListNode[] =>
  children.flatMap((child) => [child, ...below(child)]);

/** Returns all from an index on, then those before it. */
const turnedTo = <T>(all: readonly T[], at: number): readonly T[] => [
  ...all.slice(at),
  ...all.slice(0, at),
];

function actOf({ question, commands, leaves, typed }: NodeAct): ListAct {
  if (typed !== undefined) return { type: 'edit', question: question ?? '', ...typed };
  return question === null
    ? { type: 'run', commands, leaves: leaves === true }
    : { type: 'ask', question, commands };
}
