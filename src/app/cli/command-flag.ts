import { type CommandChoice, VtrError } from '#model';
import type { Flag } from './arguments/flags.ts';

/** Which command of a session's shell. */
export const commandFlag = (about: string): Flag<CommandChoice> => ({
  about,
  value: 'N|last',
  completes: ['last'],
  read: (given) => {
    if (given === 'last') return given;
    if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
    throw new VtrError(
      'INVALID_ARGUMENT',
      'use a number from 1 on, as vtr commands has it, or last',
    );
  },
});
