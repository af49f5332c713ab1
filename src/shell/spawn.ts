/** A shell about to be started. */
export interface ShellSpawn {
  /** The resolved path, absolute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Its new arguments, all of them, and the variables to add or override. */
export interface ShellChange {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const interactive = /^-[il]{1,2}$/;
const login = /^(?:-[il]*l[il]*|--login)$/;

/** Returns whether the arguments start an interactive shell, without a script or another option. */
export function isPlainShell(args: readonly string[], longOptions: readonly string[]): boolean {
  return args.every((arg) => interactive.test(arg) || longOptions.includes(arg));
}

export function isLogin(args: readonly string[]): boolean {
  return args.some((arg) => login.test(arg));
}
