/** A variable of a server's or session's environment; null: removed from what programs get. */
export interface Variable {
  readonly value: string | null;
  /** Formats and configuration files see it; programs and lists do not. */
  readonly hidden: boolean;
}

export type Environment = Map<string, Variable>;

/** Returns the environment of a caller without what belongs to its own terminal. */
export function environmentOf(variables: Readonly<Record<string, string>>): Environment {
  const own = Object.entries(variables).filter(([name]) => !ofTerminal.test(name));
  return new Map(own.map(([name, value]) => [name, { value, hidden: false }]));
}

const ofTerminal =
  /^(TMUX|TMUX_PANE|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLORTERM|VTR_SESSION|VTR_SESSION_ID|VTR_APART|COLUMNS|LINES|_|SHLVL|OLDPWD)$/;

/** Returns what a program of a session gets. */
export function programEnvironment(
  global: Environment,
  session: Environment,
): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, { value, hidden }] of [...global, ...session]) {
    if (value === null || hidden) delete all[name];
    else all[name] = value;
  }
  return all;
}
