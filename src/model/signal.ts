/** Signals that can be sent to a session's program; the names of signal(7) without `SIG`. */
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
