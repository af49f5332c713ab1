import type { LineKey, MarkEvent, OutputPosition, TypedLine } from '#model';
import type { DrawnPrompt, SavedLedger } from './command-log.ts';
import { type TextBetween, TypedInput } from './typed-input.ts';

/** How many typed lines are remembered. */
const maxTypedLines = 32;
/** The longest of their texts that are remembered, in UTF-16 code units. */
const maxShownLength = 4096;

type SavedPrompt = Pick<
  SavedLedger,
  | 'prompt'
  | 'promptLine'
  | 'promptOffset'
  | 'continues'
  | 'typing'
  | 'typedLines'
  | 'isNextPromptNew'
  | 'marksPromptEnd'
  | 'nextLine'
  | 'starts'
  | 'lineKey'
  | 'drawn'
>;

/** The prompt of a session's shell, as its marks tell of it, and the lines that are typed at it. */
export class Prompt {
  readonly #textBetween: TextBetween;
  readonly #typed: TypedInput;
  #end: OutputPosition | null = null;
  /** The line in which the current prompt begins. */
  #line: number | null = null;
  /** The prompt as it was last drawn; null while a command runs. */
  #drawn: DrawnPrompt | null = null;
  /** The offset at which the current prompt ended when it was first drawn. */
  #offset: number | null = null;
  #continues = false;
  #typing: OutputPosition | null = null;
  /** Where the last commands were typed, oldest first. */
  readonly #typedLines: TypedLine[] = [];
  /** Whether the next prompt of an integrated shell is a new one, not a redrawn one. */
  #isNextNew = true;
  /** Whether this shell marks the ends of its prompts; not all do. */
  #marksEnd = false;
  /** The line of the next command, if it is reported before the command begins (OSC 633 E). */
  nextLine: string | null = null;
  #lineKey: LineKey | null = null;
  /** The program that was in the foreground when an unverified prompt was first looked at. */
  #pid: number | null = null;

  constructor(textBetween: TextBetween) {
    this.#textBetween = textBetween;
    this.#typed = new TypedInput(textBetween);
  }

  save(): SavedPrompt {
    return {
      prompt: this.#end,
      promptLine: this.#line,
      promptOffset: this.#offset,
      continues: this.#continues,
      typing: this.#typing,
      typedLines: this.#typedLines,
      isNextPromptNew: this.#isNextNew,
      marksPromptEnd: this.#marksEnd,
      nextLine: this.nextLine,
      starts: this.#typed.starts,
      lineKey: this.#lineKey,
      drawn: this.#drawn,
    };
  }

  restore(saved: SavedPrompt): void {
    this.#end = saved.prompt;
    this.#line = saved.promptLine;
    this.#offset = saved.promptOffset;
    this.#continues = saved.continues;
    this.#typing = saved.typing;
    // Earlier versions did not save what was shown.
    for (const each of saved.typedLines)
      this.#typedLines.push({ ...each, shown: each.shown ?? null });
    this.#isNextNew = saved.isNextPromptNew;
    this.#marksEnd = saved.marksPromptEnd;
    this.nextLine = saved.nextLine;
    this.#lineKey = saved.lineKey ?? null;
    this.#drawn = saved.drawn ?? null;
    this.#typed.restore(saved.starts);
  }

  /**
   * The end of the prompt for the next command; null while there is none. If the prompt was redrawn, line and
   * column are those of the last drawing, and the offset is that of the first.
   */
  get end(): OutputPosition | null {
    return this.#end;
  }

  /** Whether it is a continuation prompt. */
  get continues(): boolean {
    return this.#continues;
  }

  /** The end of the first prompt of the line that is being typed; null if there is none. */
  get typing(): OutputPosition | null {
    return this.#typing;
  }

  /** How the shell takes a line as it is; null if it has no key for that. */
  get lineKey(): LineKey | null {
    return this.#lineKey;
  }

  /** Contract: `Ledger.redrawnFrom`. */
  get redrawnFrom(): (OutputPosition & { readonly line: number }) | null {
    const { from = null, redraws, end } = this.#drawn ?? {};
    if (from === null || end?.line == null || redraws === 'nothing') return null;
    const { line, offset } = end;
    const isLater = redraws === 'last_line' && line > from.line;
    return isLater ? { line, col: 0, offset } : { ...from, offset };
  }

  /** Contract: `Ledger.noteEmptyLine`. */
  noteEmptyLine(cursor: OutputPosition): void {
    const end = this.#drawn?.end ?? null;
    if (end?.line == null || cursor.line === null || cursor.line <= end.line) return;
    if (this.#textBetween(end, cursor)?.trim() !== '') this.#drawn = null;
  }

  /** Returns the last lines that were typed whose commands began at or after an offset of the output. */
  typedAfter(offset: number): readonly TypedLine[] {
    return this.#typedLines.filter(({ to }) => to.offset >= offset);
  }

  /** Whether another program has come to the foreground since the prompt was first looked at. */
  isOfOtherThan(pid: number): boolean {
    if (this.#end === null) return false;
    this.#pid ??= pid;
    return this.#pid !== pid;
  }

  /** A prompt that comes next is a new one, not the last one redrawn. */
  expectNew(): void {
    this.#isNextNew = true;
  }

  /** @param isVerified whether the mark is one of the session's shell */
  begin(event: MarkEvent, isVerified: boolean): void {
    this.#continues = event.prompt === 'continuation';
    if (!this.#continues) {
      this.#beginAt(event.position, isVerified);
      this.#lineKey = event.lineKey ?? null;
    }
    this.#noteDrawn(event);
    const isComplete = !this.#continues && !this.#marksEnd;
    this.#end = isComplete ? this.#endAt(event.position) : null;
    if (!this.#continues) this.#typing = this.#end;
  }

  #noteDrawn({ position, redraws = this.#drawn?.redraws ?? 'all' }: MarkEvent): void {
    const { line, col } = position;
    const end = this.#marksEnd ? null : position;
    this.#drawn = line === null ? null : { from: { line, col }, redraws, end };
  }

  #beginAt({ line }: OutputPosition, isVerified: boolean): void {
    this.#typed.forget();
    if (this.#isNew(line, isVerified)) {
      this.#offset = null;
      this.#pid = null;
    }
    this.#line = line;
    this.#isNextNew = false;
  }

  /**
   * Returns whether a prompt is a new one, not the last one redrawn. An integrated shell reports
   * its directory before a new one. The prompt of another shell is new if it is below the last one,
   * which shows that Enter was pressed.
   */
  #isNew(line: number | null, isVerified: boolean): boolean {
    if (isVerified) return this.#isNextNew;
    return line === null || this.#line === null || line > this.#line;
  }

  /** Returns the prompt's end, with the offset of its first drawing. */
  #endAt(position: OutputPosition): OutputPosition {
    this.#offset ??= position.offset;
    return { ...position, offset: this.#offset };
  }

  complete({ position }: MarkEvent): void {
    // This is the first marked end. The offset from the beginning of the prompt was too low.
    if (!this.#marksEnd) this.#offset = null;
    this.#marksEnd = true;
    this.#typed.beginAt(position);
    if (this.#drawn !== null) this.#drawn = { ...this.#drawn, end: position };
    if (this.#continues) return;
    this.#end = this.#endAt(position);
    this.#typing = this.#end;
  }

  /** Returns the line of the command that begins at a mark; null if it is not known. */
  lineOf({ commandLine, historyLine, position }: MarkEvent, isVerified: boolean): string | null {
    const reported = commandLine ?? this.nextLine;
    if (!isVerified) return reported;
    if (reported !== null) return this.#typed.inLines(reported, position);
    return historyLine === undefined ? null : this.#typed.confirmed(historyLine, position);
  }

  /** A command begins, with the line that was typed. */
  leave(line: string | null, position: OutputPosition): void {
    const shown = this.#shownBefore(position);
    this.#typedLines.push({ line, from: this.#typing, to: position, shown });
    if (this.#typedLines.length > maxTypedLines) this.#typedLines.shift();
    this.#line = null;
    this.#isNextNew = true;
    this.nextLine = null;
    this.exit();
  }

  #shownBefore(position: OutputPosition): string | null {
    const shown = this.#typing === null ? null : this.#textBetween(this.#typing, position);
    return shown === null || shown.length > maxShownLength ? null : shown;
  }

  /** No prompt is shown any more. */
  exit(): void {
    this.#end = null;
    this.#drawn = null;
    this.#typing = null;
    this.#continues = false;
  }

  /** Forgets what cannot be true. */
  forget(): void {
    this.exit();
    this.#line = null;
    this.#offset = null;
    this.nextLine = null;
    this.#pid = null;
  }

  /** The marks of an integrated shell begin; the lines before were not its own. */
  forgetTyped(): void {
    this.#typedLines.length = 0;
    this.#typed.forget();
    this.#isNextNew = true;
  }

  /** The shell marks the ends of its prompts. */
  expectEnds(): void {
    this.#marksEnd = true;
  }
}
