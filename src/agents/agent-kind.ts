import type { AgentEvidence } from '#model';

/**
 * The part of a screen in which a rule looks for its pattern, row by row and without the blanks around a row:
 *
 * - `title`: the title of the terminal, as this agent has set it
 * - `over`: the last rows with text above the composer; without a composer, those of `end`
 * - `composer`: the text in the composer
 * - `footer`: the rows below the composer
 * - `end`: the last rows with text, wherever the composer is
 */
export const regions = ['title', 'over', 'composer', 'footer', 'end'] as const;
export type Region = (typeof regions)[number];

/** A pattern that is evidence for a state. */
export interface AgentRule {
  /** Names the rule among those of its kind, such as `title-idle`. */
  readonly id: string;
  readonly claim: AgentEvidence['state'];
  readonly strength: AgentEvidence['strength'];
  readonly where: Region;
  /** In RE2 syntax. */
  readonly match: string;
  /** The path of the user's file that has it; absent: it is vtr's own. */
  readonly file?: string;
}

/** A pattern whose groups are the numbers of shells, sub-agents or tasks that go on behind an idle composer. */
export interface BackgroundRule {
  readonly where: Region;
  /** In RE2 syntax. */
  readonly match: string;
}

/** How an agent is started. */
export interface AgentStart {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Arguments that give settings to this one start; `{file}` is the path of their file. Absent: it takes none. */
  readonly settings?: readonly string[];
}

/** How an agent goes on with a conversation that it had. In its commands, `{id}` is the conversation. */
export interface AgentResume {
  readonly command: readonly string[];
  /** Begins a new conversation with what was said in another one. Absent: the agent cannot. */
  readonly fork?: readonly string[];
  /**
   * The options that are repeated when the agent is started again, such as `--verbose`, `--model VALUE`, which takes a
   * value, and `--add-dir VALUE...`, which takes those up to the next option. Absent: none.
   */
  readonly options?: readonly string[];
  /**
   * The files of the conversations of a directory, a glob. The UUID at the end of a file's name is the id, or else the
   * name without its suffix. `~` is the home directory, and `{dir}` the path of the directory with `-` for each
   * character that is no letter or digit; without it, the files name the directory as `cwd`. Absent: not known.
   */
  readonly files?: string;
}

/**
 * How hooks are written into a file:
 *
 * - `groups`: JSON with groups of commands by event, as Claude Code has them
 * - `named-groups`: the same with a name for each command
 * - `commands`: JSON with a command for each event, as Cursor has them
 * - `tables`: TOML with a table for each event
 * - `copilot-file`, `opencode-plugin`, `pi-extension`: a file of vtr's own
 */
export const hookFormats = [
  'groups',
  'named-groups',
  'commands',
  'tables',
  'copilot-file',
  'opencode-plugin',
  'pi-extension',
] as const;
export type HookFormatName = (typeof hookFormats)[number];

/** Where an agent has its hooks, or its plugin for them. */
export interface AgentHooks {
  /** `~` is the home directory. What is below `directory` moves with it. */
  readonly file: string;
  readonly format: HookFormatName;
  /** The events, each with a pattern behind a blank if the agent takes one: `Notification idle_prompt`. Absent: none. */
  readonly events?: readonly string[];
  /** What a person must do after hooks were installed. Absent: nothing. */
  readonly afterwards?: string;
}

/** What is known of a kind of coding agents. */
export interface AgentKind {
  /** Its id, such as `claude`. */
  readonly kind: string;
  /** As people call it, such as `Claude Code`. */
  readonly name: string;
  /** Where its rules are from: `vtr` with its version, or the path of the user's file that adds or changes them. */
  readonly source: string;
  /** The versions with which the rules were tried, the newest first. */
  readonly checkedWith: readonly string[];
  /** File names of its program. */
  readonly executables: readonly string[];
  /** Packages that contain its program, such as `@openai/codex`. */
  readonly packages: readonly string[];
  /** The directory of its configuration; absent if it has none, or it is not known. `~` is the home directory. */
  readonly directory?: string;
  /** The environment variable that names another directory; what is below `directory` moves with it. */
  readonly directoryVariable?: string;
  readonly start: AgentStart;
  /** The keys that end a turn, such as `escape`, in the order in which they are pressed; none: not known. */
  readonly interrupt: readonly string[];
  /** Whether a long prompt is typed in pieces: it takes no pastes, and loses what it reads before it has drawn the piece before. */
  readonly takesPieces?: boolean;
  /** Absent: it cannot, or the command is not known. */
  readonly resume?: AgentResume;
  /** Absent: it has none, or they are not known. */
  readonly hooks?: AgentHooks;
  readonly rules: readonly AgentRule[];
  readonly background: readonly BackgroundRule[];
}
