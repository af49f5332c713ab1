/**
 * The activity of a session:
 *
 * - `running`: a program is running.
 * - `at_prompt`: a shell, or a program inside it, shows its prompt.
 * - `awaiting_input`: a program waits for a line or a key.
 * - `password`: as `awaiting_input`, and the terminal does not echo.
 * - `full_screen`: a program uses the alternate screen.
 * - `exited`: the program has ended.
 */
export type ActivityState =
  | 'running'
  | 'at_prompt'
  | 'awaiting_input'
  | 'password'
  | 'full_screen'
  | 'exited';

export interface Activity {
  readonly state: ActivityState;
  readonly evidence: ActivityEvidence;
  /**
   * When the state began, in ms since 1970, as far as known: the last output for a prompt or a
   * question; the start of the command, the last input or the start of the session for a program
   * that runs; the exit.
   */
  readonly sinceMs: number;
  readonly revision: number;
  /** The ids of the runs that wait for a prompt, in the order in which they came. Default: none. */
  readonly waitingRuns?: readonly string[];
}

/** An activity as the coordinator of the session itself knows it. */
export interface OwnActivity extends Activity {
  /** Whether nothing but input makes the program in the foreground continue. */
  readonly isBlocked?: boolean;
  /**
   * When that program was started, in a unit that only serves to compare programs of one session; absent if
   * unknown. Process ids do not tell: the system uses them again.
   */
  readonly startedAt?: number;
  /** The name of the program that reads the terminal, of several in the foreground; absent if unknown. */
  readonly reader?: string;
  /**
   * Whether the program draws the field in which one types, as coding agents do. It reads its terminal in all states,
   * and is never at a prompt. Absent: false.
   */
  readonly hasComposer?: boolean;
  /** Its current directory, if it was asked for; null if the system does not report it. */
  readonly directory?: string | null;
}

/**
 * The evidence for an {@link ActivityState}. Fields are null if this system does not provide them.
 */
export interface ActivityEvidence {
  /**
   * The last mark of the shell; null if there is none. `command` also while the shell shows a
   * continuation prompt.
   */
  readonly shellMark: 'prompt' | 'command' | null;
  /** Whether the text left of the cursor looks like a prompt. */
  readonly promptPattern: boolean;
  readonly alternateScreen: boolean;
  /** The program in the terminal's foreground. */
  readonly foreground: { readonly pid: number; readonly name: string } | null;
  /** Whether the session's own program is in the foreground. */
  readonly leaderInForeground: boolean | null;
  /** Whether the terminal echoes input (ECHO). */
  readonly echo: boolean | null;
  /** Whether the terminal is in canonical mode (ICANON). */
  readonly canonical: boolean | null;
  /**
   * Whether the program in the foreground is blocked until the terminal has input: in a read, or in a
   * poll of the terminal alone. Null if it also waits for something else.
   */
  readonly readingTerminal: boolean | null;
  /**
   * Whether the program in the foreground waits for the terminal and for something else as well: a
   * socket, another terminal, a child. `readingTerminal` is null then.
   */
  readonly alsoWaits: boolean | null;
  /**
   * Whether the program has left an unfinished line, with the cursor behind its text. Text that was
   * typed into the line does not count.
   */
  readonly unfinishedLine: boolean;
}

/** The evidence where nothing is known. */
export const noEvidence: ActivityEvidence = {
  shellMark: null,
  promptPattern: false,
  alternateScreen: false,
  foreground: null,
  leaderInForeground: null,
  echo: null,
  canonical: null,
  readingTerminal: null,
  alsoWaits: null,
  unfinishedLine: false,
};

/**
 * What a coding agent does:
 *
 * - `idle`: it shows its composer and can be prompted.
 * - `busy`: it works on a turn.
 * - `asks`: it waits for a permission, an answer, trust or a login.
 * - `unknown`: the evidence is missing, or contradicts itself.
 */
export type AgentState = 'idle' | 'busy' | 'asks' | 'unknown';

/** One piece of evidence for a state of an agent. */
export interface AgentEvidence {
  readonly state: Exclude<AgentState, 'unknown'>;
  /** `strong` evidence decides. What only `supports` decides nothing alone, and can refute. */
  readonly strength: 'strong' | 'supports';
  /** The id of a rule of the agent's kind, or of a way to find evidence that all kinds share. */
  readonly rule: string;
  /** The text in which it was found: one line, sanitized, at most 200 characters. */
  readonly text: string;
}

/** How many commands the agents of a session have reported. */
export interface AgentCommandCounts {
  readonly count: number;
  /** How many of them have not ended. */
  readonly running: number;
}

/** The coding agent in the foreground of a session. */
export interface AgentInfo {
  /** The id of the kind, such as `claude`. */
  readonly kind: string;
  readonly state: AgentState;
  /** When the state began, or another question was asked, in ms since 1970. */
  readonly sinceMs: number;
  /** How many turns have ended since the agent was started: it was busy or prompted, and then idle. */
  readonly turn: number;
  /** Shells, sub-agents and tasks that go on behind an idle composer. Absent: none are known. */
  readonly background?: number;
  /** What it asks, in one line; absent if it asks nothing. */
  readonly question?: string;
  /** Names the question with its choices and what is shown above it: another question has another id. */
  readonly questionId?: string;
  /** The choices of the question; absent if it has none. */
  readonly menu?: Menu;
  /** What the agent says of its state itself, in one line; absent if it says nothing. Untrusted. */
  readonly message?: string;
  /** The id with which the agent continues its conversation; absent if it has not reported one. */
  readonly conversation?: string;
  /**
   * Whether it is idle after a turn, and no person has looked at it since: in an attached terminal, the page or the
   * overview. Reads of programs do not count. Absent: false.
   */
  readonly done?: boolean;
  /** The commands that it ran, as far as they were reported in the session; absent if none was. */
  readonly commands?: AgentCommandCounts;
  /** Why the state is what it is; for `unknown` the evidence that contradicts itself. */
  readonly evidence: readonly AgentEvidence[];
  /** Where the rules of its kind are from: `vtr` with its version, or the path of the user's file that changes them. */
  readonly rules: string;
}

/** Choices that a program shows, of which a person selects with keys. */
export interface Menu {
  /** What is asked; empty if nothing stands above the choices. */
  readonly title: string;
  /**
   * The choices on the screen from top to bottom, or from left to right, with their numbers and
   * without pointers and boxes.
   */
  readonly options: readonly string[];
  /** The choice on which the pointer or the highlight stands, counted from 0; null if none is known. */
  readonly selected: number | null;
  /** Whether several can be chosen. */
  readonly multiple: boolean;
  /** The choices that are marked as chosen, counted from 0; absent if the list has no marks, or they do not tell. */
  readonly checked?: readonly number[];
  /** The button of a dialog below its list that has the focus, without its frame; absent if none is highlighted. */
  readonly button?: string;
  /** The program's own line about its keys; empty if it has none. */
  readonly keys: string;
}

/** Returns a menu in one line: `Which features? > [ ] Lint | [x] Tests`; `>` is before the selected one. */
export function menuText({ title, options, selected, multiple, checked, button }: Menu): string {
  const mark = (index: number) => (checked?.includes(index) ? 'x' : ' ');
  const box = (index: number) => (multiple ? `[${mark(index)}] ` : `(${mark(index)}) `);
  const choices = options.map((option, index) => {
    const pointer = index === selected ? '> ' : '';
    return `${pointer}${checked === undefined ? '' : box(index)}${option}`;
  });
  if (button !== undefined) choices.push(`> <${button}>`);
  return [title, choices.join(' | ')].filter((part) => part !== '').join(' ');
}

/**
 * Why a session wants somebody:
 *
 * - `input`: a program asks a question or waits for a key.
 * - `password`: as `input`, and the terminal does not echo.
 * - `prompt`: a shell shows its prompt after a command that ran for long.
 * - `failed`: a command failed, or the program of the session did, and nobody has looked since it ended.
 * - `bell`, `notification`: the program rang the bell, or sent OSC 9, 99 or 777.
 * - `done`: the program's progress (OSC 9;4) is complete, a coding agent has ended its turn and nobody has looked
 *   since, or the program of the session ended with 0 and nobody has looked.
 * - `quiet`: a program that had printed has printed nothing for long.
 * - `activity`, `silence`: the session is watched for that (`WatchChoice`): it has printed since a person looked, or
 *   has printed nothing for the time of the watch.
 */
export type AttentionKind =
  | 'input'
  | 'password'
  | 'prompt'
  | 'failed'
  | 'bell'
  | 'notification'
  | 'done'
  | 'quiet'
  | 'activity'
  | 'silence';

/**
 * A session wants somebody. It lasts until input is sent, or the reason has gone. That for which a session is watched
 * lasts until a person looks.
 */
export interface Attention {
  readonly kind: AttentionKind;
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** The question, the command with its status, the notification: one line, sanitized, at most 200 characters. */
  readonly evidence: string;
  /** Set for `input` if the program shows choices. */
  readonly menu?: Menu;
  /** As {@link AgentInfo.questionId}; set for `input` if the screen shows a question. */
  readonly questionId?: string;
  /**
   * Whether `input` or `password` is a guess: only the text shows it, because the system does not report that the
   * program reads, or reports a program that relays another terminal. Absent: false.
   */
  readonly guess?: boolean;
}

/** Output that came without a pause. */
export interface OutputBurst {
  /** When it began, in ms of a monotonic clock. */
  readonly atMs: number;
  /** The line of the cursor after it; its row on the alternate screen. */
  readonly line: number;
}

/** A row that is repainted more often than twice in this time, in ms, is a spinner. */
const spinnerMs = 1_000;
/** A program that prints at longer intervals, in ms, has no pace of its own. */
const maxGapMs = 5_000;
/** The number of bursts that show a pace. */
const minBursts = 4;

/**
 * Returns for how long a program must be silent, in ms, before it can be said to wait for its terminal,
 * which it reads while it works: a spinner in raw mode, a server that prints and takes keys. 0 without a
 * pace.
 *
 * @param bursts of output since the last input, oldest first
 * @param unfinished the text of the program at the cursor
 */
export function ownPaceMs(bursts: readonly OutputBurst[], unfinished: string): number {
  const last = bursts.slice(-minBursts);
  if (last.length < minBursts) return 0;
  const [first, second] = last as [OutputBurst, OutputBurst];
  const end = last.at(-1) as OutputBurst;
  const isRepainted = last.every(({ line }) => line === first.line);
  if (isRepainted && end.atMs - second.atMs < spinnerMs) return spinnerMs;
  const gapsMs = last.slice(1).map(({ atMs }, index) => atMs - (last[index]?.atMs ?? 0));
  const longestMs = Math.max(...gapsMs);
  return unfinished.trim() === '' && longestMs <= maxGapMs ? 2 * longestMs : 0;
}
