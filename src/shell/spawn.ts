/** A shell about to be started. */
export interface ShellSpawn {
  /** The resolved path, absolute. */
  readonly program: string;
  readonly args: readonly string[];
  /** The environment in which it starts. */
  readonly env: Readonly<Record<string, string>>;
}

/** Its new arguments, all of them, and the variables to add or override. */
export interface ShellChange {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Why a program starts without shell integration, as a clause: `vim is not bash, zsh or fish`. */
export interface NotIntegrated {
  readonly reason: string;
}

/** What proves that a mark is of a session's shell. */
export interface ShellKey {
  /** See {@link roundKeysOf}. */
  readonly key: string;
  /** The file from which the shell reads it. */
  readonly keyFile: string;
}

/**
 * How to recognize the marks of a session's shell, or why it was started without integration. Shells that
 * earlier versions of vtr started have a nonce that is in all of their marks.
 */
export type ShellProof = ShellKey | { readonly nonce: string } | NotIntegrated;

const interactive = /^-[il]{1,2}$/;
const login = /^(?:-[il]*l[il]*|--login)$/;

/**
 * Returns the first argument that is not one of an interactive shell without a script; undefined if
 * there is none.
 *
 * @param longOptions further options that are supported
 */
export function unsupportedArgument(
  args: readonly string[],
  longOptions: readonly string[],
): string | undefined {
  return args.find((arg) => !interactive.test(arg) && !longOptions.includes(arg));
}

export function startedWith(shell: string, arg: string): NotIntegrated {
  return { reason: `${shell} was started with ${arg === '' ? 'an empty argument' : arg}` };
}

export function isLogin(args: readonly string[]): boolean {
  return args.some((arg) => login.test(arg));
}
