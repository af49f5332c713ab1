/**
 * The environment of a program: `caller` passes the caller's, without what {@link callerEnvironment} leaves
 * out. `login` passes what the user has after a login on the coordinator's machine, and `minimal` a few
 * variables. `inherit` is `caller` where the caller is on that machine, else `login`.
 */
export type EnvironmentMode = 'inherit' | 'caller' | 'login' | 'minimal';

/** The session's name, for people and scripts. */
export const sessionNameVariable = 'VTR_SESSION';
/** The session's id, which identifies its processes. */
export const sessionIdVariable = 'VTR_SESSION_ID';
/** Where the programs of a session report what they do: the path of a socket, `#`, and the session's key. */
export const reportVariable = 'VTR_REPORT';
/** Set for a coordinator that is started apart from any session, also if from inside one. */
export const apartVariable = 'VTR_APART';

export type Variables = Readonly<Record<string, string | undefined>>;

/** The environment that a caller passes to a program. */
export interface CallerEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The names of variables that are not passed, because they look like secrets. */
  readonly notPassed: readonly string[];
}

/** The environment that a program was started with. */
export interface SessionEnvironment {
  /** Whose it is. */
  readonly kind: Exclude<EnvironmentMode, 'inherit'>;
  /** See {@link CallerEnvironment.notPassed}. */
  readonly notPassed: readonly string[];
}

/** Which variables a caller passes in addition. */
export interface PassingOptions {
  /** Names, whatever they look like. */
  readonly pass?: readonly string[];
  /**
   * Whether the programs may use the agents of ssh and gpg that the caller uses. Default: true; false for
   * sessions of an agent's host.
   */
  readonly agents?: boolean;
}

/**
 * Returns what a caller passes to a program: all but secrets, and variables that describe the terminal, the
 * parent or the host of the caller.
 */
export function callerEnvironment(
  own: Variables,
  { pass = [], agents = true }: PassingOptions = {},
): CallerEnvironment {
  const variables: Record<string, string> = {};
  const notPassed: string[] = [];
  const all = `\n${Object.keys(own).join('\n')}`;
  const sensitive = wordsIn(all.toUpperCase(), sensitiveWords);
  const misleading = wordsIn(all, misleadingStarts);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const isNamed = pass.includes(name) || (agents && agentNames.has(name));
    if (!isNamed && isMisleadingName(name, misleading)) continue;
    if (isNamed || !isSensitiveName(name, sensitive)) variables[name] = value;
    else notPassed.push(name);
  }
  return { variables, notPassed: notPassed.sort() };
}

/** The shortest secret that is looked for by its value, in characters: shorter ones occur in other words. */
export const minSecretLength = 6;

/**
 * Returns the words that occur in names, each of which follows a line feed. Few words do, so many names are then
 * compared with few words: a regular expression takes half a millisecond for a hundred names, mostly to be compiled.
 */
const wordsIn = (names: string, words: readonly string[]): readonly string[] =>
  words.filter((word) => names.includes(word));

/**
 * Returns whether the name suggests that the value is a secret or gives access to one.
 *
 * @param words those of {@link sensitiveWords} that can occur
 */
export function isSensitiveName(name: string, words: readonly string[] = sensitiveWords): boolean {
  const upper = name.toUpperCase();
  if (sensitiveNames.has(upper)) return true;
  const line = `\n${upper}`;
  const hasWord = wordsIn(line, words).length > 0;
  const isOfNpm = line.startsWith('\nNPM_CONFIG_') && line.includes('AUTH');
  return (hasWord || isOfNpm) && !cloudSettings.test(name);
}

/** Settings of the clients of AWS without which a program finds another account, or none. */
const cloudSettings =
  /^AWS_(?:(?:DEFAULT_)?(?:PROFILE|REGION|OUTPUT)|PAGER|CA_BUNDLE|CONFIG_FILE|SDK_.*|EC2_.*)$/;

/** Where the agents of ssh and gpg listen. */
const agentNames = new Set(['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO']);

/** In upper case. */
const sensitiveWords = [
  'SECRET',
  'TOKEN',
  'PASSW', // PASSWORD, PASSWD
  'CREDENTIAL',
  ...['APIKEY', 'API_KEY', 'PRIVATEKEY', 'PRIVATE_KEY', 'ACCESSKEY', 'ACCESS_KEY'],
  'AUTH_SOCK',
  ...['\nAWS_', '\nGH_'],
];

const sensitiveNames = new Set(['SSH_AGENT_PID', 'GPG_AGENT_INFO']);

/**
 * Returns whether a variable describes the terminal, the parent or the host of its process, and is wrong in a
 * new terminal.
 *
 * @param starts those of {@link misleadingStarts} that can occur
 */
export function isMisleadingName(
  name: string,
  starts: readonly string[] = misleadingStarts,
): boolean {
  if (misleadingNames.has(name)) return true;
  return wordsIn(`\n${name}`, starts).length > 0 && !settings.test(name);
}

const misleadingNames = new Set([
  // If vtr runs in a session itself, its programs would be ended with that session.
  sessionNameVariable,
  sessionIdVariable,
  reportVariable,
  apartVariable,
  // ncurses and shells prefer them to the size of the terminal.
  'COLUMNS',
  'LINES',
  // Programs would talk to the multiplexer that vtr runs in.
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  // Programs would take the agent that called vtr for their own host.
  'CLAUDECODE',
  'CLAUDE_PROJECT_DIR',
  'AI_AGENT',
  'AGENT',
  'GEMINI_CLI',
  'GEMINI_CLI_NO_RELAUNCH',
  'OPENCODE',
  'OPENCODE_PID',
  'QWEN_CODE',
  'CLINE_ACTIVE',
  'CLINE_CONNECTOR_CLI_LAUNCH',
  'CURSOR_AGENT',
  'AMP_CURRENT_THREAD_ID',
  'AUGMENT_AGENT',
  'QODER_CLI',
  'COMMANDCODE_SESSION_ID',
  'FACTORY_DISABLE_SETTINGS_PERSISTENCE',
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

/** Such variables begin so; set by terminals, multiplexers, editors and the hosts of agents. */
const misleadingStarts = [
  ...['\nTERM_PROGRAM', '\nKITTY_', '\nALACRITTY_', '\nWEZTERM_', '\nGHOSTTY_', '\nKONSOLE_'],
  ...['\nITERM_', '\nGNOME_TERMINAL_', '\nZELLIJ', '\nVSCODE_', '\nCLAUDE_CODE_', '\nCODEX_'],
  '\nQWEN_CODE_',
];

/** Variables with such a prefix that users set: where an agent keeps its files, and which service it uses. */
const settings = /^(CODEX_HOME|CLAUDE_CODE_USE_\w+)$/;
