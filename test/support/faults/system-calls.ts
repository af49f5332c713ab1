import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { type Failure, failuresOf } from './failures.ts';

/** A call of the system that a file of src made. */
export interface SystemCall {
  /** The name of Node's function. */
  readonly name: string;
  /** The path of its file or socket; empty if it has none. */
  readonly path: string;
  /** The line that made it. */
  readonly site: string;
  /** How often that line has called it before. */
  readonly before: number;
  /** The ways in which it can fail. */
  readonly failures: readonly Failure[];
}

/** The call that fails, and how it does. */
export interface Plan {
  readonly call: SystemCall;
  readonly failure: Failure;
}

export type Callable = (this: unknown, ...args: unknown[]) => unknown;
export type Functions = Record<string, Callable>;

interface Run {
  readonly plan: Plan | null;
  readonly calls: SystemCall[];
  /** How often each line has made each call. */
  readonly counts: Map<string, number>;
  hasFailed: boolean;
}

let run: Run | null = null;

/**
 * Counts the system calls that files of src make while `act` runs, and lets one of them fail.
 *
 * @param plan null: all are made
 * @returns whether it has failed: how many calls there are can depend on the time
 */
export async function withFailure<T>(
  plan: Plan | null,
  act: () => Promise<T>,
): Promise<{
  calls: readonly SystemCall[];
  hasFailed: boolean;
  outcome: PromiseSettledResult<T>;
}> {
  const own: Run = { plan, calls: [], counts: new Map(), hasFailed: false };
  run = own;
  try {
    const [outcome] = await Promise.allSettled([act()]);
    return { calls: own.calls, hasFailed: own.hasFailed, outcome };
  } finally {
    run = null;
  }
}

/**
 * Counts a call. Returns how it must fail; null if it is to be made.
 *
 * @param isOpen whether `path` is that of an open file
 */
export function failureOf(
  name: string,
  path: string,
  { site = callSite(), isOpen = false }: { site?: string | null; isOpen?: boolean } = {},
): Failure | null {
  if (run === null || site === null) return null;
  const key = keyOf({ name, site });
  const before = run.counts.get(key) ?? 0;
  run.counts.set(key, before + 1);
  const failures = failuresOf(name, path, isOpen);
  run.calls.push({ name, path, site, before, failures });
  const { plan } = run;
  if (plan === null || keyOf(plan.call) !== key || plan.call.before !== before) return null;
  if (!failures.includes(plan.failure)) return null;
  run.hasFailed = true;
  return plan.failure;
}

/** The call of a line, however often it is made. */
export const keyOf = ({ name, site }: Pick<SystemCall, 'name' | 'site'>): string =>
  `${name} ${site}`;

const sourceLine = /\/(src\/[^)?]+?\.ts:\d+)/;

/** Returns the line of src that called a function of Node; null if Node itself or a test did. */
export function callSite(): string | null {
  if (run === null) return null;
  const frames = new Error().stack?.split('\n').slice(1) ?? [];
  const caller = frames.find((frame) => !frame.includes('/test/support/faults/'));
  const [, site = null] = sourceLine.exec(caller ?? '') ?? [];
  return site?.includes('.test.ts') === true ? null : site;
}

/** As {@link callSite}, of a call that Node makes for src: streams write later. */
export function distantSite(): string {
  const frames = new Error().stack?.split('\n') ?? [];
  const sites = frames.map((frame) => sourceLine.exec(frame)?.[1]);
  return sites.find((site) => site !== undefined) ?? 'a stream';
}

/** Returns an error as Node makes it. */
export function systemError(
  failure: Failure,
  syscall: string,
  path?: unknown,
): NodeJS.ErrnoException {
  const errno = -(constants.errno[failure as keyof typeof constants.errno] ?? 0);
  const [name, text] = getSystemErrorMap().get(errno) ?? [];
  // EDQUOT has no name.
  const code = name ?? `Unknown system error ${errno}`;
  const named = typeof path === 'string' ? ` '${path}'` : '';
  const error = new Error(`${code}: ${text ?? code}, ${syscall}${named}`);
  return Object.assign(error, {
    errno,
    code,
    syscall,
    ...(typeof path === 'string' ? { path } : {}),
  });
}

export function replace(
  target: Functions,
  name: string,
  make: (original: Callable) => Callable,
): void {
  const original = target[name];
  if (original === undefined) throw new Error(`Node has no ${name}`);
  // util.promisify looks for properties.
  target[name] = Object.defineProperties(
    make(original),
    Object.getOwnPropertyDescriptors(original),
  );
}
