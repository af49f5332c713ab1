import { VtrError } from '../errors.ts';

/** The signals that can be sent to a session's program: the names of signal(7) without `SIG`. */
export const signalNames = [
  'HUP',
  'INT',
  'QUIT',
  'KILL',
  'USR1',
  'USR2',
  'TERM',
  'CONT',
  'STOP',
  'TSTP',
  'WINCH',
] as const;

export type SignalName = (typeof signalNames)[number];

/** Checks a signal at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkSignalName(signal: SignalName): SignalName {
  if (signalNames.includes(signal)) return signal;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `signal ${JSON.stringify(signal)} cannot be sent; use one of ${signalNames.join(', ')}`,
    { details: { signal: String(signal) } },
  );
}
