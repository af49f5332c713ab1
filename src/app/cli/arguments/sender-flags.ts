import { userInfo } from 'node:os';
import type { Sender } from '#model';
import type { Context } from '../context.ts';
import { wholeNumber } from './flags.ts';

/** The flags of every verb that a person who drives refuses to others. */
export const senderFlags = {
  epoch: wholeNumber('N', 'fail if a person has driven since epoch N; types while vtr take holds', {
    from: 1,
  }),
};

/** @param by the name of the sender, for people */
export const senderOf = (
  { epoch }: { readonly epoch: number | undefined },
  by: string,
): Sender => ({
  by,
  ...(epoch !== undefined && { driverEpoch: epoch }),
});

/** The name of the person who runs the command. */
export function personName({ env }: Context): string {
  const given = env['USER'] || env['LOGNAME'];
  if (given) return given;
  try {
    return userInfo().username;
  } catch {
    // The system has no name for the user id.
    return 'person';
  }
}
