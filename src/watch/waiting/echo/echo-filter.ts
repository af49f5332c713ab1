import type { OutputPosition, SentInput, TypedLine } from '#model';
import type { Candidate } from '../../searching/pattern.ts';
import type { Watched } from '../../watched.ts';
import {
  essence,
  findPiece,
  follow,
  type Piece,
  type SentLine,
  type Span,
  sentLines,
  without,
} from './sent-lines.ts';

/** The inputs whose echo a wait ignores. */
export interface EchoRange {
  /** Inputs before this offset of the output are older than the wait; Infinity for none. */
  readonly sinceOffset: number;
  /** The number of the last input that counts. */
  readonly lastInput: number;
}

/** A part of a printed text that may or may not be output. */
export interface Unsure extends Candidate {
  /** Whether it may be echo; otherwise it is other text at a prompt, such as a suggestion. */
  readonly mayBeEcho: boolean;
}

export interface Split {
  /** The parts that are not echo. */
  readonly real: readonly Candidate[];
  readonly unsure: readonly Unsure[];
}

/** A line that was sent, maybe by several inputs. */
interface ExpectedLine {
  readonly pieces: Piece[];
  /** The text of the pieces. */
  text: string;
  /** Whether Enter was sent. */
  isEnded: boolean;
  /** The input in which the line begins. */
  readonly input: SentInput;
}

/** A part of a piece, up to the end of a line. */
interface OpenPart {
  readonly line: number;
  readonly span: Span;
  /** The number of characters of the piece in the part and in the parts before it. */
  readonly used: number;
}

/** A part of a line, with its text without blanks when it was found. */
interface Shown extends Span {
  readonly text: string;
}

/** The echo of an input is not searched further in the output, in bytes. */
const maxSearchBytes = 256 * 1024;
/** How many lines of a long input, and pieces of a line, are searched in one line of output. */
const maxLines = 64;
/** How many rows are kept in which lines are shown again: an input fills fewer, unless rows are very narrow. */
const maxRowsAgain = 256;
/** Ends the text left of the cursor at the prompts of most shells, REPLs and chats. */
const promptEnds = /[$#>%❯›]\s+$/u;
const promptEnd = /[$#>%❯›]/u;
/** The rest of a line behind its text: nothing, or the side of a box. */
const isBorder = /^[\s|│┃║]*$/u;

/**
 * Separates output from the echo of input. The echo of a line is the first text in the output that
 * equals the line, blanks aside; for a shell that marks its commands, everything between the prompt
 * and the start of the command. It is found line by line, in the order of the input.
 */
export class EchoFilter {
  readonly #watched: Watched;
  readonly #range: EchoRange;
  #loaded = 0;
  readonly #lines: ExpectedLine[] = [];
  /** The lines without blanks. */
  readonly #wholeLines = new Set<string>();
  /** The next piece to find in the output. */
  #next = { line: 0, piece: 0 };
  /** How many lines the shell has read and run. */
  #run = 0;
  #typedCount = 0;
  /** The parts of the output in which the lines were typed. */
  readonly #typed: TypedLine[] = [];
  /** The last line with echo. */
  #lastLine = -1;
  #isDone = false;
  /** How many lines the shell had to read when the wait began. */
  readonly #earlierLines: number;
  readonly #echo = new Map<number, Shown[]>();
  #end: { readonly line: number; readonly index: number } | null = null;
  /** The beginning of a piece at the ends of lines; the rest may be in the next line. */
  #open: readonly OpenPart[] = [];
  /** By line of the output: the rest of each line that is shown again there, which may be in the next one. */
  readonly #again = new Map<number, readonly string[]>();

  constructor(watched: Watched, range: EchoRange) {
    this.#watched = watched;
    this.#range = range;
    this.#earlierLines = this.#countEarlier();
  }

  /** Whether text that is printed in a line from now on can be echo. */
  mayBeIn(line: number | null): boolean {
    this.#load();
    if (this.#lines.length === 0) return false;
    if (line === null || line <= this.#lastLine) return true;
    this.#isDone ||= this.#readAll();
    return !this.#isDone;
  }

  /** Whether the echo of all input has been printed, or is not searched any further. */
  #readAll(): boolean {
    const last = this.#lines.at(-1);
    if (last === undefined || this.#watched.inputCount < this.#range.lastInput) return false;
    return (last.isEnded && this.#run === this.#lines.length) || this.#isOver(last.input);
  }

  /** Returns whether a text is part of a line of input. */
  isSent(text: string): boolean {
    const letters = essence(text);
    return letters !== '' && this.#lines.some((line) => essence(line.text).includes(letters));
  }

  /**
   * Returns the parts of a printed text. Texts must be given in the order in which they appear. A line can
   * be given again, as long as its text is the same.
   */
  split(candidate: Candidate): Split {
    const { line, text, from, to } = candidate;
    const all = { real: [candidate], unsure: [] };
    if (!this.mayBeIn(line) || line === null || candidate.cut) return all;
    if (!this.#isDone && this.#watched.commands.integration === 'integrated') this.#readTyped(line);
    const maybe = [...this.#locate(line, text, from), ...this.#echoAgain(line, text)];
    const typing = this.#typingIn(line, text);
    const entries = (this.#echo.get(line) ?? []).filter((each) => isStillShown(each, text));
    const echo = [...entries, ...this.#typedIn(line, text), ...typing.echo];
    const part = (span: Span) => ({ ...candidate, ...span });
    const unsure = [
      ...maybe.map((span) => ({ ...span, mayBeEcho: true })),
      ...typing.other.map((span) => ({ ...span, mayBeEcho: false })),
    ].flatMap(({ mayBeEcho, ...span }) =>
      without(clip(span, from, to), echo).map((each) => ({ ...part(each), mayBeEcho })),
    );
    const spans = [...echo, ...unsure];
    const isUntouched = spans.every((span) => span.to <= from || span.from >= to);
    if (isUntouched) return all;
    const real = without({ from, to }, spans).map(part);
    return { real, unsure: unsure.filter((each) => each.from < each.to) };
  }

  #load(): void {
    if (this.#watched.inputCount === this.#loaded) return;
    const { sinceOffset, lastInput } = this.#range;
    for (const input of this.#watched.inputs) {
      const { number, offset } = input;
      if (number <= this.#loaded || offset < sinceOffset || number > lastInput) continue;
      if (this.#lines.length === 0) this.#addTypedBefore(input);
      for (const line of sentLines(input.text)) this.#expect(line, input);
    }
    this.#loaded = this.#watched.inputCount;
  }

  /** Returns how many lines were sent to the shell before the wait that it has not run. */
  #countEarlier(): number {
    const { inputs, commands } = this.#watched;
    const { sinceOffset } = this.#range;
    if (sinceOffset === Number.POSITIVE_INFINITY) return 0;
    const begin = commands.typing?.offset ?? commands.typedAfter(0).at(-1)?.to.offset ?? 0;
    const earlier = inputs.filter(({ offset }) => offset >= begin && offset < sinceOffset);
    return earlier.flatMap(({ text }) => sentLines(text)).filter(({ isEnded }) => isEnded).length;
  }

  /** A line that was begun by input before the wait may be drawn again. */
  #addTypedBefore({ number, line, index }: SentInput): void {
    const before = this.#watched.inputs.find((input) => input.number === number - 1);
    const isOpen = before !== undefined && !/[\r\n]$/.test(before.text);
    if (isOpen && before.line === line && line !== null) this.#add(line, { from: 0, to: index });
  }

  #expect({ pieces, isEnded }: SentLine, input: SentInput): void {
    const last = this.#lines.at(-1);
    const isNew = last === undefined || last.isEnded;
    const line = isNew ? { pieces: [], text: '', isEnded, input } : last;
    line.pieces.push(...pieces);
    line.text += pieces.map(({ text }) => text).join('');
    line.isEnded = isEnded;
    if (isEnded) this.#wholeLines.add(essence(line.text));
    if (isNew) this.#lines.push(line);
  }

  /** Finds echo in a line that output has changed. Returns the parts that may become echo. */
  #locate(line: number, text: string, printedFrom: number): Span[] {
    const continued = this.#continue(line, text);
    if (continued !== null) return continued;
    for (;;) {
      const expected = this.#expected();
      if (expected === null) return [];
      const searchFrom = this.#searchFrom(line, expected.input);
      const span = this.#findFirst(text, searchFrom, printedFrom);
      if (span === null) return this.#editedAt(line, text, expected);
      if (span.how === 'open') {
        this.#keepOpen([], { line, span: span, used: span.used });
        return [span];
      }
      this.#open = [];
      this.#onFound(line, span);
    }
  }

  /** Finds the next piece, or if that is optional, one behind it. Makes it the next. */
  #findFirst(text: string, from: number, printedFrom: number): ReturnType<typeof findPiece> {
    const pieces = this.#lines[this.#next.line]?.pieces ?? [];
    for (let at = this.#next.piece; at < pieces.length; at++) {
      const piece = pieces[at] as Piece;
      const span = findPiece(text, from, printedFrom, piece.text);
      if (span !== null) {
        this.#next = { ...this.#next, piece: at };
        return span;
      }
      if (!piece.isOptional) return null;
    }
    return null;
  }

  /** A piece that began at the end of a line may continue in the next one. */
  #continue(line: number, text: string): Span[] | null {
    const before = this.#open.filter((part) => part.line < line);
    const last = before.at(-1);
    const piece = this.#piece();
    if (last === undefined || piece === null || line !== last.line + 1) return null;
    const { end, used, how } = follow(text, 0, piece.text.slice(last.used));
    if (how === 'other' || used === 0) return null;
    const span = { from: 0, to: end };
    if (how === 'open') {
      this.#keepOpen(before, { line, span, used: last.used + used });
      return [span];
    }
    this.#open = [];
    for (const part of before) this.#add(part.line, part.span);
    this.#onFound(line, span);
    return this.#locate(line, text, end);
  }

  /** Keeps the parts in later lines if this one is given again. */
  #keepOpen(before: readonly OpenPart[], part: OpenPart): void {
    const at = this.#open.findIndex(({ line }) => line === part.line);
    const isSame = this.#open[at]?.used === part.used;
    this.#open = [...before, part, ...(isSame ? this.#open.slice(at + 1) : [])];
  }

  #onFound(line: number, span: Span): void {
    this.#add(line, { from: span.from, to: span.to });
    this.#end = { line, index: span.to };
    this.#next = { ...this.#next, piece: this.#next.piece + 1 };
  }

  #add(line: number, { from, to }: Span): void {
    const text = essence(this.#watched.all.linePart(line, {}).slice(from, to));
    this.#echo.set(line, [...(this.#echo.get(line) ?? []), { from, to, text }]);
    this.#lastLine = Math.max(this.#lastLine, line);
  }

  /** The line with the next piece; null if there is none, or if it is not searched any further. */
  #expected(): ExpectedLine | null {
    let expected = this.#lines[this.#next.line];
    while (expected !== undefined && this.#next.piece >= expected.pieces.length) {
      if (!expected.isEnded) return null;
      this.#next = { line: this.#next.line + 1, piece: 0 };
      expected = this.#lines[this.#next.line];
    }
    return expected === undefined || this.#isOver(expected.input) ? null : expected;
  }

  #isOver(input: SentInput): boolean {
    return this.#watched.outputEnd - input.offset > maxSearchBytes;
  }

  #piece(): Piece | null {
    return this.#expected()?.pieces[this.#next.piece] ?? null;
  }

  #searchFrom(line: number, input: SentInput): number {
    if (this.#end?.line === line) return this.#end.index;
    return input.line === line ? input.index : 0;
  }

  /**
   * A line editor may show something else behind the first characters, such as a suggestion, before
   * it has read the whole line.
   */
  #editedAt(line: number, text: string, { input }: ExpectedLine): Span[] {
    const piece = this.#piece();
    if (piece === null || input.line !== line || this.#end?.line === line) return [];
    const { used } = follow(text, input.index, piece.text);
    return used === 0 ? [] : [{ from: input.index, to: text.length }];
  }

  /**
   * A program without marks may show a line again behind its prompt, over several rows: a shell, if it
   * was typed ahead; a chat, when it was sent.
   */
  #echoAgain(line: number, text: string): Span[] {
    if (this.#watched.commands.typing !== null) return [];
    const continued = (this.#again.get(line - 1) ?? []).flatMap((rest) => {
      const { end, used, how } = follow(text, 0, rest);
      return how === 'other' || used === 0 ? [] : { from: 0, to: end, rest: rest.slice(used), how };
    });
    const spans = continued.length > 0 ? continued : this.#begunAgain(text);
    const open = spans.filter(({ how }) => how === 'open').map(({ rest }) => rest);
    this.#keepAgain(line, open);
    return spans.map(({ from, to }) => ({ from, to }));
  }

  #keepAgain(line: number, rests: readonly string[]): void {
    if (rests.length === 0) this.#again.delete(line);
    else this.#again.set(line, rests);
    const [first = line] = this.#again.keys();
    if (this.#again.size > maxRowsAgain) this.#again.delete(first);
  }

  /** Returns the lines, or their beginnings, that a text has behind a prompt. */
  #begunAgain(text: string) {
    if (!promptEnd.test(text)) return [];
    return this.#lines.slice(this.#run, this.#run + maxLines).flatMap(({ text: echo, input }) => {
      if (this.#isOver(input)) return [];
      const span = findPiece(text, 1, 0, echo);
      if (span === null || !isBorder.test(text.slice(span.to))) return [];
      const { from, to, used, how } = span;
      return promptEnds.test(text.slice(0, from)) ? { from, to, rest: echo.slice(used), how } : [];
    });
  }

  /**
   * Counts the lines that the shell has read since the last call, down to a line of the output: above
   * the prompt, the terminal may have echoed a line that was typed ahead.
   */
  #readTyped(line: number): void {
    const all = this.#watched.commands.typedAfter(this.#range.sinceOffset);
    const below = all.findIndex(({ from }) => (from?.line ?? 0) > line);
    const typed = below < 0 ? all : all.slice(0, below);
    if (typed.length <= this.#typedCount) return;
    for (const each of typed.slice(this.#typedCount)) {
      if (this.#run === this.#lines.length) break;
      this.#typed.push(each);
      this.#lastLine = Math.max(this.#lastLine, each.to.line ?? -1);
      // The echo of a line that is typed ahead may be in the same part of the output.
      const text = each.line === null ? null : essence(each.line);
      const isIn = (line: ExpectedLine) => line.isEnded && text?.includes(essence(line.text));
      for (let next = this.#lines[this.#run]; next && isIn(next); next = this.#lines[this.#run]) {
        this.#run++;
      }
    }
    this.#typedCount = typed.length;
    // A line may differ from the input: a completion, an abbreviation.
    const atLeast = this.#typedCount - this.#earlierLines;
    this.#run = Math.min(Math.max(this.#run, atLeast), this.#lines.length);
    if (this.#next.line < this.#run) this.#next = { line: this.#run, piece: 0 };
  }

  /**
   * Returns the part of a line in which a command was typed that has begun, unless its output has replaced
   * the text.
   */
  #typedIn(line: number, text: string): Span[] {
    return this.#typed.flatMap(({ from, to, shown }) => {
      if (from === null || from.line === null || to.line === null) return [];
      if (line < from.line || line > to.line) return [];
      const begin = line === from.line ? this.#indexOf(from) : 0;
      const whole = line === to.line ? this.#indexOf(to) : text.length;
      const end =
        shown === null ? whole : endOfShown(text, begin, shown.split('\n')[line - from.line]);
      return begin < end ? [{ from: begin, to: end }] : [];
    });
  }

  /**
   * Returns the echo in a line that is being typed at the shell's prompt, and the other text in it.
   * Other text counts only if no command begins, because the line editor may show anything there
   * before it has read Enter.
   */
  #typingIn(line: number, text: string): { echo: Span[]; other: Span[] } {
    const { typing } = this.#watched.commands;
    if (typing === null || typing.line === null || line < typing.line)
      return { echo: [], other: [] };
    const begin = line === typing.line ? this.#indexOf(typing) : 0;
    const whole = { from: begin, to: text.length };
    const isPending = this.#lines[this.#run]?.isEnded === true;
    if (isPending && this.#wholeLines.has(essence(text.slice(begin)))) {
      return { echo: [whole], other: [] };
    }
    const echo = this.#lines
      .slice(this.#run, this.#run + maxLines)
      .flatMap(({ pieces }) => pieces.slice(0, maxLines))
      .flatMap((piece) => findPiece(text, begin, begin, piece.text) ?? []);
    return { echo, other: isPending ? without(whole, echo) : [] };
  }

  /** Returns the index in the text of its line at which a position is. */
  #indexOf({ line, col }: OutputPosition): number {
    return line === null || col === 0 ? 0 : this.#watched.all.linePart(line, { to: col }).length;
  }
}

/** Whether the text of a part has not been replaced since. */
const isStillShown = ({ from, to, text }: Shown, line: string): boolean =>
  essence(line.slice(from, to)) === text;

/** Returns where a text ends that was shown in a line from an index on; the index itself if it is replaced. */
function endOfShown(text: string, from: number, shown = ''): number {
  const { end, how } = follow(text, from, shown);
  return how === 'other' ? from : end;
}

function clip({ from, to }: Span, first: number, end: number): Span {
  return { from: Math.max(from, first), to: Math.min(to, end) };
}
