import { userInfo } from 'node:os';
import { defined } from '#base';
import { checkInputId, type Sender } from '#model';
import type { Context } from '../context.ts';
import { text, wholeNumber } from './flags.ts';

/** The flags of every verb that a person who drives refuses to others. */
export const senderFlags = {
  epoch: wholeNumber('N', 'fail if a person has driven since epoch N; types while vtr take holds', {
    from: 1,
  }),
};

/** The flag of every verb whose effect a script that repeats it wants once. */
export const inputIdFlag = {
  'input-id': text(
    'ID',
    'happen at most once: a repeat with the same ID and words does nothing, and prints the result of the first',
  ),
};

/** @throws VtrError INVALID_ARGUMENT */
export const inputIdOf = ({
  'input-id': id,
}: {
  readonly 'input-id': string | undefined;
}): { readonly inputId?: string } => (id === undefined ? {} : { inputId: checkInputId(id) });

/** @param by the name of the sender, for people */
export const senderOf = (
  { epoch }: { readonly epoch: number | undefined },
  by: string,
): Sender => ({
  by,
  ...defined({ driverEpoch: epoch }),
});

/** The name of the person who runs the command. */
export function personName({ env }: Context): string {
  const user = env['USER'] || env['LOGNAME'];
  if (user) return user;
  try {
    return userInfo().username;
  } catch {
    // The system has no name for the user id.
    return 'person';
  }
}
