import { encodeUtf8 } from '#base';
import {
  asVtrError,
  type Cell,
  minSecretLength,
  type Redacted,
  type TextMatch,
  VtrError,
} from '#model';
import { findInOutput, keyWords, literalRule, mask, type SecretRule } from '#recording';
import { EarlierTerminal, type SessionView, type TerminalFacts } from '#session';
import { RedactedTerminal, RedactedView } from './redacted-terminal.ts';
import { hasMarks, Marks, SecretCells, type TerminalWithScreen, withMark } from './secret-cells.ts';

/** Fields that are handles or the caller's own text. */
const plainFields = new Set(['id', 'name', 'mark', 'source', 'inputId', 'holder', 'code']);

/** The replacement of secrets in one answer of a session. */
export class Redaction {
  readonly #rules: readonly SecretRule[];
  readonly #view: SessionView;
  readonly #marks = new Marks();
  readonly #cells: SecretCells;
  readonly #learn: () => void;
  #hasShownKey: boolean | null = null;

  /** @param learn learns the secrets that the session has shown until now */
  constructor(view: SessionView, rules: readonly SecretRule[], learn: () => void) {
    this.#rules = rules;
    this.#view = view;
    this.#learn = learn;
    const hasShownKey = () => {
      this.#hasShownKey ??= view.rawOutput(0).some(({ bytes }) => hasKeyWords(bytes));
      return this.#hasShownKey;
    };
    const columns = () => view.terminal.size.cols;
    this.#cells = new SecretCells({ rules, marks: this.#marks, hasShownKey, learn, columns });
  }

  /** The session as answers show it. Secrets are marks in it, until {@link finished}. */
  get view(): RedactedView {
    return new RedactedView(this.#view, this.#cells);
  }

  /** A terminal of an earlier time as answers show it. */
  earlier(terminal: TerminalWithScreen): RedactedTerminal {
    return new RedactedTerminal(terminal, this.#cells);
  }

  /**
   * Returns rows of screens as answers show them.
   *
   * @param facts of the terminal of the session
   */
  rows(texts: readonly string[], facts: TerminalFacts): readonly string[] {
    const { cols } = this.#view.terminal.size;
    const scrollback = { maxLines: texts.length, maxBytes: Number.POSITIVE_INFINITY };
    const dump = encodeUtf8(texts.join('\r\n'));
    const begin = { size: { cols, rows: 2 }, firstLine: 0, dump };
    const { terminal } = new EarlierTerminal({ ...facts, scrollback }, begin);
    const shown = [...this.earlier(terminal).lineTexts(0, terminal.endLine)];
    return texts.map((_, line) => shown[line]?.text ?? '');
  }

  /** Counts secrets that were replaced already, in raw output. */
  counted(count: number): void {
    this.#marks.count += count;
  }

  /** With what the session has shown until now. */
  get rules(): readonly SecretRule[] {
    this.#learn();
    return this.#rules;
  }

  /**
   * Returns an answer without secrets, with their number. Text of the terminal must be of {@link view};
   * other text, such as titles and command lines, is searched here.
   *
   * @param isOfScreen whether it quotes parts of the screen, such as a question
   */
  finished<T extends object>(answer: T, isOfScreen = false): T & Required<Redacted> {
    const texts = new AnswerTexts(this.rules, this.#marks, isOfScreen ? this.#quoted() : null);
    const done = texts.walk(answer) as T;
    return { ...done, redacted: this.#marks.count };
  }

  /** Returns a failure without secrets: messages quote arguments and the screen. */
  failure(thrown: unknown): VtrError {
    const { code, message, details, cause } = asVtrError(thrown);
    const texts = new AnswerTexts(this.rules, this.#marks, this.#quoted());
    return new VtrError(code, texts.walk(message) as string, {
      details: texts.walk(details) as typeof details,
      cause,
    });
  }

  /** The rows and the line of the cursor that have secrets: as they were written, and with marks. */
  #quoted(): readonly Quoted[] {
    const { view } = this;
    const { line } = this.#view.terminal.linePosition();
    const written = this.#view.screenRows();
    const rows = view.screenRows().map((text, row): Quoted => [written[row] ?? '', text]);
    const atCursor: Quoted = [view.writtenText(line) ?? '', view.linePart(line, {}, 'spaced')];
    return [...rows, atCursor].filter(([, text]) => hasMarks(text));
  }
}

const hasKeyWords = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(keyWords);

/** Returns an answer whose texts are whole without secrets, with their number. */
export function redactedTexts<T extends object>(
  answer: T,
  rules: readonly SecretRule[],
): T & Required<Redacted> {
  const marks = new Marks();
  const done = new AnswerTexts(rules, marks, []).walk(answer) as T;
  return { ...done, redacted: marks.count };
}

type Quoted = readonly [written: string, marked: string];

/** Replaces secrets in the texts of an answer. */
class AnswerTexts {
  readonly #rules: readonly SecretRule[];
  readonly #marks: Marks;
  readonly #quoted: readonly Quoted[];
  /** Whether all text of the terminal is searched already. */
  readonly #isSearched: boolean;

  /** @param quotes what the answer may quote; null if its text of the terminal is that of a view */
  constructor(rules: readonly SecretRule[], marks: Marks, quotes: readonly Quoted[] | null) {
    const quoted = quotes ?? [];
    this.#marks = marks;
    this.#quoted = quoted;
    this.#isSearched = quotes === null;
    const shown = literalRule(quoted.flatMap(secretsOf));
    this.#rules = quoted.length === 0 ? rules : [...rules, shown];
  }

  walk(value: unknown, name = ''): unknown {
    if (typeof value === 'string') {
      if (plainFields.has(name)) return value;
      const isSearched = this.#isSearched && searched.has(name) && !value.includes('\x1b]');
      return this.#masked(isSearched ? value : this.#marked(value, name === 'evidence'));
    }
    if (Array.isArray(value)) return value.map((each) => this.walk(each, name));
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
    // Text answers show the output of a command, and not its line.
    if (name === 'command') return this.#marks.uncounted(() => this.#fields(value, name));
    return this.#fields(value, name);
  }

  #fields(value: object, name: string): object {
    if (isMatch(value)) return this.#match(value);
    if (isCell(value)) return this.#cell(value);
    const entries = Object.entries(value).map(([field, each]) => [
      field,
      // The user chose the names of labels.
      this.walk(each, name === 'labels' ? '' : field),
    ]);
    return Object.fromEntries(entries);
  }

  #cell(cell: Cell): Cell {
    const { style } = cell;
    const text = this.#masked(cell.text);
    if (style.link === null) return text === cell.text ? cell : { ...cell, text };
    return { ...cell, text, style: { ...style, link: this.#masked(this.#marked(style.link)) } };
  }

  /** What a pattern matched may be a part of a secret, which cannot be told alone. */
  #match(match: TextMatch): TextMatch {
    const text = this.#marked(match.text);
    const part = (of: string) => this.#masked(this.#marked(markedPart(of, [match.text, text])));
    return {
      ...match,
      text: this.#masked(text),
      matched: part(match.matched),
      groups: match.groups.map((group) => group && part(group)),
    };
  }

  /** @param isCut whether the end of the text may be missing */
  #marked(text: string, isCut = false): string {
    let marked = text;
    for (const quoted of this.#quoted)
      if (text.length >= minQuote) marked = markedPart(marked, quoted);
    const codes = new Map<number, number>();
    for (const { from, to, secret } of findInOutput(marked, this.#rules)) {
      if (!/[^\s\ufdd0-\ufdef]/.test(marked.slice(from, to))) continue;
      const code = codes.get(secret) ?? this.#marks.next();
      codes.set(secret, code);
      marked = withMark(marked, from, to, code);
    }
    return isCut ? this.#markedEnd(marked) : marked;
  }

  #markedEnd(text: string): string {
    const end = text.endsWith('…') ? text.length - 1 : text.length;
    const begun = this.#rules.map((rule) => rule.begun?.(text.slice(0, end)) ?? -1);
    const from = begun.filter((at) => at >= 0);
    return from.length === 0 ? text : withMark(text, Math.min(...from), end, this.#marks.next());
  }

  #masked(text: string): string {
    return hasMarks(text) ? this.#marks.masked(text, mask) : text;
  }
}

/** Fields with text of the terminal; in its control strings, such as links, nothing is searched. */
const searched: ReadonlySet<string> = new Set(['text', 'head', 'tail', 'before', 'after']);

/** A shorter text is not looked for on the screen, in characters. */
const minQuote = 4;

const isMatch = (value: object): value is TextMatch => 'matched' in value && 'groups' in value;

const isCell = (value: object): value is Cell => 'width' in value && 'style' in value;

/** Returns a part of a text with the marks that the text has there. Their lengths are the same. */
function markedPart(part: string, [written, marked]: Quoted): string {
  if (part === '' || written.length !== marked.length) return part;
  const units = part.split('');
  for (let at = written.indexOf(part); at >= 0; at = written.indexOf(part, at + 1)) {
    for (const index of units.keys()) {
      const unit = marked.charAt(at + index);
      if (hasMarks(unit)) units[index] = unit;
    }
  }
  return units.join('');
}

/** Returns the secrets in a text, as they were written. */
function secretsOf([written, marked]: Quoted): string[] {
  if (written.length !== marked.length) return [];
  return Array.from(marked.matchAll(/[\ufdd0-\ufdef]+/g), ({ index, 0: { length } }) =>
    written.slice(index, index + length),
  ).filter(({ length }) => length >= minSecretLength);
}
