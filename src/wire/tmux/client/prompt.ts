import { type Cell, type KeyPress, plainStyle } from '#model';
import { textCells } from '#vt/widths';
import { drawFormat, formatWidth } from '../drawing/draw-format.ts';
import type { PromptAnswers, PromptRequest } from '../state/client-terminal.ts';
import { commandNames } from '../table/command-table.ts';
import type { StatusLine } from './status-line.ts';

/** Entries of the history of each kind. */
const maxHistory = 100;

/** What a key did: nothing more, it ended the prompt, or it ended it and then does what it does. */
export type PromptStep = 'stays' | 'ends' | 'passes';

/** A question in the status line, with the field for its answer. */
export class Prompt {
  readonly request: PromptRequest;
  readonly #history: PromptAnswers;
  readonly #isVi: boolean;
  readonly #answer: (text: string | null) => void;
  #field: readonly string[];
  #at: number;
  /** The last text of an incremental search, for its repetition. */
  readonly #last: string;
  #historyAt = 0;
  /** With vi keys: whether keys are commands. */
  #isCommand = false;

  constructor(
    request: PromptRequest,
    {
      history,
      isVi,
      answer,
    }: {
      readonly history: PromptAnswers;
      readonly isVi: boolean;
      readonly answer: (text: string | null) => void;
    },
  ) {
    this.request = request;
    this.#history = history;
    this.#isVi = isVi;
    this.#answer = answer;
    const isIncremental = request.takes === 'incremental';
    this.#last = isIncremental ? request.input : '';
    this.#field = isIncremental ? [] : [...request.input];
    this.#at = this.#field.length;
    if (isIncremental) request.changed?.('=');
  }

  get #text(): string {
    return this.#field.join('');
  }

  /** The person leaves it. */
  cancel(): void {
    this.#answer(null);
  }

  /** @param name of the key in tmux */
  press(press: KeyPress, name: string): PromptStep {
    const { takes } = this.request;
    if (takes === 'key') return this.#end(name);
    if (takes === 'number' && !/^\d$/.test(name)) {
      this.#end(this.#text);
      return 'passes';
    }
    if (this.#isVi && this.#isViKey(name)) return this.#pressCommand(name);
    const edit = this.#edits[name];
    if (edit !== undefined) {
      edit();
      return 'stays';
    }
    if (name === 'Enter' || name === 'C-m') return this.#enter();
    if (name === 'Escape' || name === 'C-c' || name === 'C-g') return this.#end(null);
    const { key, ctrl = false, alt = false } = press;
    const character = name === 'Space' ? ' ' : key;
    if (ctrl || alt || [...character].length !== 1) return 'stays';
    return this.#insert(character);
  }

  paste(text: string): PromptStep {
    const line = text.replace(/[\x00-\x1f\x7f]+/g, ' ');
    let step: PromptStep = 'stays';
    for (const character of line) if (step === 'stays') step = this.#insert(character);
    return step;
  }

  #isViKey(name: string): boolean {
    if (this.#isCommand) return name !== 'Enter' && name !== 'C-c';
    if (name !== 'Escape') return false;
    this.#isCommand = true;
    return true;
  }

  /** With vi keys: a command. */
  #pressCommand(name: string): PromptStep {
    const insert = (at: number) => {
      this.#at = Math.max(0, Math.min(at, this.#field.length));
      this.#isCommand = false;
    };
    const { length } = this.#field;
    const inserts: Readonly<Record<string, number>> = {
      i: this.#at,
      a: this.#at + 1,
      I: 0,
      A: length,
    };
    const meant: Readonly<Record<string, string>> = {
      h: 'Left',
      l: 'Right',
      0: 'Home',
      '^': 'Home',
      $: 'End',
      b: 'M-b',
      w: 'M-f',
      e: 'M-f',
      x: 'DC',
      X: 'BSpace',
      D: 'C-k',
      p: 'C-y',
      k: 'Up',
      j: 'Down',
    };
    const at = inserts[name];
    if (at !== undefined) insert(at);
    else if (name === 'q') return this.#end(null);
    else if (name === 'd' || name === 'S' || name === 'C') {
      this.#change([], 0);
      if (name !== 'd') insert(0);
    } else this.#edits[meant[name] ?? name]?.();
    return 'stays';
  }

  readonly #edits: Readonly<Record<string, () => void>> = {
    Left: () => this.#move(this.#at - 1),
    'C-b': () => this.#move(this.#at - 1),
    Right: () => this.#move(this.#at + 1),
    'C-f': () => this.#move(this.#at + 1),
    Home: () => this.#move(0),
    'C-a': () => this.#move(0),
    End: () => this.#move(this.#field.length),
    'C-e': () => this.#move(this.#field.length),
    'M-b': () => this.#move(this.#wordStart()),
    'M-f': () => this.#move(this.#wordEnd()),
    BSpace: () => this.#remove(this.#at - 1, this.#at),
    'C-h': () => this.#remove(this.#at - 1, this.#at),
    DC: () => this.#remove(this.#at, this.#at + 1),
    'C-d': () => this.#remove(this.#at, this.#at + 1),
    'C-u': () => this.#change([], 0),
    'C-k': () => this.#remove(this.#at, this.#field.length),
    'C-w': () => this.#remove(this.#wordStart(), this.#at),
    Up: () => this.#fromHistory(1),
    'C-p': () => this.#fromHistory(1),
    Down: () => this.#fromHistory(-1),
    'C-n': () => this.#fromHistory(-1),
    Tab: () => this.#complete(),
    'C-r': () => this.#again('-'),
    'C-s': () => this.#again('+'),
  };

  #move(at: number): void {
    this.#at = Math.max(0, Math.min(at, this.#field.length));
  }

  #remove(from: number, to: number): void {
    const start = Math.max(0, from);
    if (start >= to) return;
    this.#change([...this.#field.slice(0, start), ...this.#field.slice(to)], start);
  }

  #change(field: readonly string[], at: number, sign = '='): void {
    this.#field = field;
    this.#at = at;
    if (this.request.takes === 'incremental') this.request.changed?.(`${sign}${this.#text}`);
  }

  #insert(character: string): PromptStep {
    const { takes } = this.request;
    if (takes === 'character') return this.#end(character);
    const field = [...this.#field.slice(0, this.#at), character, ...this.#field.slice(this.#at)];
    this.#change(field, this.#at + 1);
    return 'stays';
  }

  /** An incremental search goes on; without a text, with that of the last one. */
  #again(sign: '-' | '+'): void {
    if (this.request.takes !== 'incremental') return;
    const isEmpty = this.#field.length === 0;
    const field = isEmpty ? [...this.#last] : this.#field;
    this.#change(field, field.length, isEmpty ? '=' : sign);
  }

  #wordStart(): number {
    let at = this.#at;
    while (at > 0 && this.#field[at - 1] === ' ') at--;
    while (at > 0 && this.#field[at - 1] !== ' ') at--;
    return at;
  }

  #wordEnd(): number {
    let at = this.#at;
    while (at < this.#field.length && this.#field[at] === ' ') at++;
    while (at < this.#field.length && this.#field[at] !== ' ') at++;
    return at;
  }

  #fromHistory(by: 1 | -1): void {
    const all = this.#history.get(this.request.kind) ?? [];
    const at = Math.max(0, Math.min(this.#historyAt + by, all.length));
    if (at === this.#historyAt) return;
    this.#historyAt = at;
    const field = [...(at === 0 ? '' : (all[all.length - at] ?? ''))];
    this.#change(field, field.length);
  }

  /** Completes the name of a command. */
  #complete(): void {
    const text = this.#text;
    if (this.request.kind !== 'command' || text === '' || text.includes(' ')) return;
    const names = commandNames.filter((name) => name.startsWith(text));
    const [first] = names;
    if (first === undefined) return;
    let { length } = first;
    for (const name of names) while (!name.startsWith(first.slice(0, length))) length--;
    const field = [...first.slice(0, length), ...(names.length === 1 ? [' '] : [])];
    this.#change(field, field.length);
  }

  #enter(): PromptStep {
    const text = this.#text;
    const all = this.#history.get(this.request.kind) ?? [];
    if (text !== '' && all.at(-1) !== text) {
      this.#history.set(this.request.kind, [...all, text].slice(-maxHistory));
    }
    return this.#end(text);
  }

  #end(answer: string | null): PromptStep {
    this.#answer(answer);
    return 'ends';
  }

  /** The row of the question and its field; the cursor is a cell in reverse video. */
  async line(status: StatusLine, cols: number): Promise<readonly Cell[]> {
    const name = this.#isCommand ? 'message-command-style' : 'message-style';
    const style = await status.style(name);
    const cells: Cell[] = [...drawFormat('', cols, style).cells];
    const start = Math.min(formatWidth(this.request.text), cols);
    const label = drawFormat(this.request.text, start, style).cells;
    cells.splice(0, start, ...label);
    const left = cols - start;
    if (left === 0) return cells;
    const cursor = { ...style, inverse: !style.inverse };
    const field = this.#field.flatMap((character, at) =>
      textCells(character, at === this.#at ? cursor : style),
    );
    const before = textCells(this.#field.slice(0, this.#at).join(''), plainStyle).length;
    if (this.#at >= this.#field.length) field.push({ text: ' ', width: 1, style: cursor });
    const offset = before >= left ? before - left + 1 : 0;
    const shown = field.slice(offset, offset + left);
    cells.splice(start, shown.length, ...shown);
    return cells;
  }
}
