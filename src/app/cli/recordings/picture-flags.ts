import { parseDurationMs } from '#base';
import { VtrError } from '#model';
import type { Flag } from '../arguments/flags.ts';

/** In ms; Infinity for `off`. */
export const idle: Flag<number> = {
  about: 'shorten pauses to SECONDS; off keeps them (default: as the recording says)',
  value: 'SECONDS',
  read: (given) => {
    if (given === 'off') return Number.POSITIVE_INFINITY;
    const ms = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : parseDurationMs(given);
    if (ms !== null && ms > 0) return ms;
    throw new VtrError('INVALID_ARGUMENT', 'use seconds such as 2 or 0.5, or off');
  },
};

/** The scale of bitmaps. */
export const scale: Flag<1 | 2> = {
  about: 'pixels of a cell: 1 for 10x20 (default), 2 for 20x40',
  value: 'N',
  completes: ['1', '2'],
  read: (given) => {
    if (given === '1' || given === '2') return given === '1' ? 1 : 2;
    throw new VtrError('INVALID_ARGUMENT', 'use 1 or 2');
  },
};

/** @throws VtrError INVALID_ARGUMENT if a flag was given that does nothing for a format */
export function checkFlagOf(
  name: string,
  value: unknown,
  format: string,
  formats: readonly string[],
): void {
  if (value === undefined || formats.includes(format)) return;
  const message = `--${name} is for ${formats.join(', ')}, not for ${format}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
