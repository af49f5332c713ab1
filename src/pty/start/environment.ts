import { type EnvironmentMode, isSensitiveName } from '#model';

export type Environment = Readonly<Record<string, string>>;

/** The session's name, for people and scripts. */
export const sessionNameVariable = 'VTR_SESSION';
/** The session's id, which identifies its processes. */
export const sessionIdVariable = 'VTR_SESSION_ID';

/** Set for a coordinator that is started apart from any session, also if from inside one. */
export const apartVariable = 'VTR_APART';

export interface EnvironmentRequest {
  readonly mode: EnvironmentMode;
  /** The environment that `inherit` and `minimal` select from: this process's or the caller's. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** The value of PWD. */
  readonly cwd: string;
  /** Overrides all other variables; its names are not filtered. */
  readonly explicit?: Environment;
  /** Default `xterm-256color`. */
  readonly term?: string;
}

/**
 * Returns the environment for a program. The host adds the session's marker to it, and overrides
 * any value here, because it finds the session's processes by the marker.
 */
export function buildEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { mode, base, cwd, explicit = {}, term = 'xterm-256color' } = request;
  const passes = mode === 'minimal' ? isMinimalName : isInheritedName;
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && passes(name)) chosen[name] = value;
  }
  return { ...chosen, PWD: cwd, TERM: term, COLORTERM: 'truecolor', ...explicit };
}

function isInheritedName(name: string): boolean {
  return !isSensitiveName(name) && !misleadingNames.has(name) && !misleading.test(name);
}

/**
 * Variables that describe the terminal or the parent of this process, and are wrong in a new
 * terminal.
 */
const misleadingNames = new Set([
  // If vtr runs in a session itself, its programs would be ended with that session.
  sessionNameVariable,
  sessionIdVariable,
  apartVariable,
  // ncurses and shells prefer them to the size of the terminal.
  'COLUMNS',
  'LINES',
  // Programs would talk to the multiplexer that vtr runs in.
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  // The identity and capabilities of another terminal: programs would use its private sequences.
  'TERMCAP',
  'TERM_FEATURES',
  'TERM_SESSION_ID',
  'TERMINAL_EMULATOR',
  'LC_TERMINAL',
  'LC_TERMINAL_VERSION',
  'COLORFGBG',
  'WINDOWID',
  'VTE_VERSION',
  'XTERM_LOCALE',
  'XTERM_SHELL',
  'XTERM_VERSION',
  'WT_SESSION',
  'WT_PROFILE_ID',
  'INSIDE_EMACS',
  // The state of the parent shell.
  '_',
  'OLDPWD',
  'SHLVL',
  // A service manager's interface to this process, which programs must not use.
  'NOTIFY_SOCKET',
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'LISTEN_PID',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
  'INVOCATION_ID',
  'JOURNAL_STREAM',
  // The IPC channel to a Node parent, whose fd the program does not have.
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
]);

/** Prefixes of such variables, set by terminals, multiplexers and editors. */
const misleading =
  /^(TERM_PROGRAM|KITTY_|ALACRITTY_|WEZTERM_|GHOSTTY_|KONSOLE_|ITERM_|GNOME_TERMINAL_|ZELLIJ|VSCODE_)/;

function isMinimalName(name: string): boolean {
  return minimalNames.has(name) || (name.startsWith('LC_') && !misleadingNames.has(name));
}

const minimalNames = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
]);
