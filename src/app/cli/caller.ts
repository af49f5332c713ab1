import {
  type CallerEnvironment,
  callerEnvironment,
  isAddress,
  type SessionInfo,
  VtrError,
} from '#model';
import type { Context } from './context.ts';

/**
 * Returns the environment of this process for the sessions of an agent, which do not get the agents of ssh and
 * gpg; null at an address.
 */
export async function agentEnvironment(
  context: Context,
  place: string,
): Promise<CallerEnvironment | null> {
  if (isAddress(place)) return null;
  const { passedVariables: pass } = await context.config();
  return callerEnvironment(context.env, { pass, agents: false });
}

/** Returns the environment of this process, as a coordinator at that place gets it; none at an address. */
export async function callerOf(
  context: Context,
  place: string,
): Promise<{ caller?: CallerEnvironment }> {
  if (isAddress(place)) return {};
  const { passedVariables: pass } = await context.config();
  return { caller: callerEnvironment(context.env, { pass }) };
}

/**
 * Returns the variables of `--env`. A name without a value stands for that of this process.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export const variablesOf = (
  { env }: Pick<Context, 'env'>,
  variables: readonly (readonly [name: string, value: string | null])[],
): Record<string, string> =>
  Object.fromEntries(
    variables.map(([name, value]) => {
      const passed = value ?? env[name];
      if (passed !== undefined) return [name, passed];
      const message = `--env ${name}: the variable is not set; give a value with --env ${name}=VALUE`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }),
  );

/** Names, on stderr, the variables that a new session does not have because they look like secrets. */
export function tellNotPassed(context: Context, { environment }: SessionInfo): void {
  const { kind, notPassed = [] } = environment ?? {};
  const [first, ...others] = notPassed;
  if (first === undefined) return;
  const value = kind === 'login' ? '=VALUE' : '';
  const how =
    others.length === 0
      ? `pass it with --env ${first}${value}`
      : `pass one with --env NAME${value}`;
  context.say(`not passed: ${notPassed.join(', ')}; ${how}`);
}
