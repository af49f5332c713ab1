import type { EnvironmentMode } from '#model';

export type Environment = Readonly<Record<string, string>>;

/** The session's name, for people and scripts. */
export const markerNameName = 'VTR_SESSION';
/** The session's id, by which its processes are found. */
export const markerIdName = 'VTR_SESSION_ID';

export interface EnvironmentRequest {
  readonly mode: EnvironmentMode;
  /** What `inherit` and `minimal` choose from: this process's, or the caller's. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Becomes PWD. */
  readonly cwd: string;
  /** Wins over everything, whatever its names look like. */
  readonly explicit?: Environment;
  /** `xterm-256color` when absent. */
  readonly term?: string;
}

/**
 * The environment that a program is given, without the marker of its session: that is the host's to
 * set, over any value given here, because sessions are found by it.
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

/** Does the name say that its value is a secret, or leads to one? */
export function isSensitiveName(name: string): boolean {
  return sensitiveNames.has(name.toUpperCase()) || sensitive.test(name);
}

const sensitiveNames = new Set(['SSH_AGENT_PID', 'GPG_AGENT_INFO']);

const sensitive = new RegExp(
  [
    'SECRET',
    'TOKEN',
    'PASSW', // PASSWORD, PASSWD
    'CREDENTIAL',
    'API_?KEY',
    'PRIVATE_?KEY',
    'ACCESS_?KEY',
    'AUTH_SOCK',
    '^AWS_',
    '^GH_',
    '^NPM_CONFIG_.*AUTH',
  ].join('|'),
  'i',
);

function isInheritedName(name: string): boolean {
  return !isSensitiveName(name) && !misleadingNames.has(name) && !misleading.test(name);
}

/** Names that are true of where we were started, and false of the program in its new terminal. */
const misleadingNames = new Set([
  // A session that we may run in ourselves: its marker would have our programs ended with it.
  markerNameName,
  markerIdName,
  // ncurses and shells believe them more than the terminal's own size.
  'COLUMNS',
  'LINES',
  // Programs inside another multiplexer talk to that one.
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  // Another terminal's identity and capabilities: programs would use sequences of its own.
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
  // The state of the shell that started us.
  '_',
  'OLDPWD',
  'SHLVL',
  // A service manager's talk with us: a program must not speak in our name.
  'NOTIFY_SOCKET',
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
  'LISTEN_PID',
  'WATCHDOG_PID',
  'WATCHDOG_USEC',
  'INVOCATION_ID',
  'JOURNAL_STREAM',
  // A Node parent's channel to us, of which the program has no descriptor.
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
]);

/** Families of the same kind: terminals, multiplexers and editors that mark what they start. */
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
