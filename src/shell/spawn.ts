/** A program that is about to be started. */
export interface ShellSpawn {
  /** Absolute, as it was resolved. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What is changed about it: all arguments, and variables that are added or set anew. */
export interface ShellChange {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const interactive = /^-[il]{1,2}$/;
const login = /^(?:-[il]*l[il]*|--login)$/;

/**
 * Whether the arguments ask for nothing but an interactive shell. Whatever else there is, a script
 * or an option, is left alone.
 */
export function isPlainShell(args: readonly string[], longOptions: readonly string[]): boolean {
  return args.every((arg) => interactive.test(arg) || longOptions.includes(arg));
}

export function isLogin(args: readonly string[]): boolean {
  return args.some((arg) => login.test(arg));
}
