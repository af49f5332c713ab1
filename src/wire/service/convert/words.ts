import {
  ActivityState,
  CommandState,
  CursorShape,
  EndReason,
  EnvironmentMode,
  KeptPart,
  MarkKind,
  OutputFormat,
  PasteMode,
  PatternKind,
  ProgressState,
  PromptKind,
  ReadKind,
  RenderFormat,
  ShellIntegration,
  ShellMark,
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

export const activityStates = new Words({
  running: ActivityState.RUNNING,
  at_prompt: ActivityState.AT_PROMPT,
  awaiting_input: ActivityState.AWAITING_INPUT,
  password: ActivityState.PASSWORD,
  full_screen: ActivityState.FULL_SCREEN,
  exited: ActivityState.EXITED,
});

export const commandStates = new Words({
  running: CommandState.RUNNING,
  ended: CommandState.ENDED,
});

export const cursorShapes = new Words({
  block: CursorShape.BLOCK,
  underline: CursorShape.UNDERLINE,
  bar: CursorShape.BAR,
});

export const endReasons = new Words({
  idle: EndReason.IDLE,
  run_time: EndReason.RUN_TIME,
  memory: EndReason.MEMORY,
  cpu: EndReason.CPU,
  lease: EndReason.LEASE,
});

export const environmentModes = new Words({
  inherit: EnvironmentMode.INHERIT,
  minimal: EnvironmentMode.MINIMAL,
});

export const keptParts = new Words({
  head: KeptPart.HEAD,
  tail: KeptPart.TAIL,
  both: KeptPart.BOTH,
});

export const markKinds = new Words({
  promptStart: MarkKind.PROMPT_START,
  promptEnd: MarkKind.PROMPT_END,
  commandLine: MarkKind.COMMAND_LINE,
  commandStart: MarkKind.COMMAND_START,
  commandEnd: MarkKind.COMMAND_END,
  user: MarkKind.USER,
});

export const outputFormats = new Words({
  text: OutputFormat.TEXT,
  ansi: OutputFormat.ANSI,
  raw: OutputFormat.RAW,
});

export const pasteModes = new Words({
  never: PasteMode.NEVER,
  auto: PasteMode.AUTO,
  always: PasteMode.ALWAYS,
});

export const patternKinds = new Words({
  match: PatternKind.MATCH,
  stop: PatternKind.STOP,
  screen: PatternKind.SCREEN,
  title: PatternKind.TITLE,
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

export const readKinds = new Words({
  unchanged: ReadKind.UNCHANGED,
  lines: ReadKind.LINES,
  screen: ReadKind.SCREEN,
  raw: ReadKind.RAW,
});

export const renderFormats = new Words({
  text: RenderFormat.TEXT,
  ansi: RenderFormat.ANSI,
  cells: RenderFormat.CELLS,
});

export const shellIntegrations = new Words({
  integrated: ShellIntegration.INTEGRATED,
  self: ShellIntegration.SELF,
  none: ShellIntegration.NONE,
});

export const shellMarks = new Words({
  prompt: ShellMark.PROMPT,
  command: ShellMark.COMMAND,
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
  stopped: WaitOutcome.STOPPED,
  finished: WaitOutcome.FINISHED,
  prompt: WaitOutcome.PROMPT,
  title: WaitOutcome.TITLE,
  bell: WaitOutcome.BELL,
});
