import {
  CursorShape,
  EnvironmentMode,
  MarkKind,
  PasteMode,
  ProgressState,
  PromptKind,
  RenderFormat,
  UnderlineStyle,
  WaitOutcome,
} from '../gen/vtr.gen.ts';

/** The words of the model and the numbers of the wire, both ways. */
class Words<Word extends string, Value extends number> {
  readonly #values: Readonly<Record<Word, Value>>;
  readonly #words: ReadonlyMap<number, Word>;

  constructor(values: Readonly<Record<Word, Value>>) {
    this.#values = values;
    const entries = Object.entries(values) as [Word, Value][];
    this.#words = new Map(entries.map(([word, value]) => [value, word]));
  }

  /** 0, which every enumeration leaves unspecified, for a word that is none. */
  toWire(word: Word | undefined): Value | 0 {
    return (word && this.#values[word]) ?? 0;
  }

  /** Undefined for what is unspecified, or younger than this program. */
  fromWire(value: number): Word | undefined {
    return this.#words.get(value);
  }
}

export const cursorShapes = new Words({
  block: CursorShape.BLOCK,
  underline: CursorShape.UNDERLINE,
  bar: CursorShape.BAR,
});

export const environmentModes = new Words({
  inherit: EnvironmentMode.INHERIT,
  minimal: EnvironmentMode.MINIMAL,
});

export const markKinds = new Words({
  promptStart: MarkKind.PROMPT_START,
  promptEnd: MarkKind.PROMPT_END,
  commandLine: MarkKind.COMMAND_LINE,
  commandStart: MarkKind.COMMAND_START,
  commandEnd: MarkKind.COMMAND_END,
  user: MarkKind.USER,
});

export const pasteModes = new Words({
  never: PasteMode.NEVER,
  auto: PasteMode.AUTO,
  always: PasteMode.ALWAYS,
});

export const progressStates = new Words({
  none: ProgressState.NONE,
  normal: ProgressState.NORMAL,
  error: ProgressState.ERROR,
  indeterminate: ProgressState.INDETERMINATE,
  paused: ProgressState.PAUSED,
});

export const promptKinds = new Words({
  continuation: PromptKind.CONTINUATION,
  right: PromptKind.RIGHT,
});

export const renderFormats = new Words({
  text: RenderFormat.TEXT,
  ansi: RenderFormat.ANSI,
  cells: RenderFormat.CELLS,
});

export const underlineStyles = new Words({
  none: UnderlineStyle.UNSPECIFIED,
  single: UnderlineStyle.SINGLE,
  double: UnderlineStyle.DOUBLE,
  curly: UnderlineStyle.CURLY,
  dotted: UnderlineStyle.DOTTED,
  dashed: UnderlineStyle.DASHED,
});

export const waitOutcomes = new Words({
  matched: WaitOutcome.MATCHED,
  idle: WaitOutcome.IDLE,
  exited: WaitOutcome.EXITED,
  timed_out: WaitOutcome.TIMED_OUT,
});
