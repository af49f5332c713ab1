import { asVtrError, silentReason } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { knownCoordinators } from '../coordinators/known-coordinators.ts';
import { type Finding, good } from './finding.ts';

/** Describes how programs are started here. */
export async function nativeCalls(): Promise<Finding> {
  const subject = 'programs';
  // Most commands do not need the daemon's code.
  const { bindingInUse } = await import('#app/daemon');
  const { name, canMark } = bindingInUse();
  const text = `started by ${name}`;
  if (canMark || process.platform !== 'linux') return good(subject, text);
  const escapes =
    'one that leaves its session and clears its environment escapes limits and vtr rm';
  const fix =
    name === 'node-pty'
      ? 'install vtr with its optional package koffi'
      : 'raise the hard limit of file locks: ulimit -H -x unlimited';
  return { state: 'warning', subject, text: `${text}: ${escapes}`, fix };
}

/**
 * Names the programs that a killed PTY host has left.
 *
 * @param describe resolves for a coordinator that answers
 */
export async function leftovers(
  context: Context,
  describe: (socket: string) => Promise<unknown>,
): Promise<Finding> {
  const subject = 'leftovers';
  const known = await knownCoordinators(context);
  const lists = known.map(async ({ socket }) => {
    try {
      await describe(socket);
      return (await new JsonCoordinator(socket).list({})).map(({ id }) => id);
    } catch (error) {
      return asVtrError(error).details['reason'] === silentReason ? null : [];
    }
  });
  const ids = await Promise.all(lists);
  if (ids.includes(null)) return good(subject, 'not known while a coordinator does not respond');
  const { leftPrograms } = await import('#app/daemon');
  const left = await leftPrograms(ids.flatMap((each) => each ?? []));
  if (left.length === 0) return good(subject, 'none');
  const named = left.map(({ pid, name }) => `${pid} (${name})`).join(', ');
  const text = `programs of sessions that no known coordinator has: ${named}`;
  const fix = `end them with kill ${left.map(({ pid }) => pid).join(' ')}, unless a coordinator that is not in config.toml has them`;
  return { state: 'warning', subject, text, fix };
}
