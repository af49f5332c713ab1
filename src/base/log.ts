/** The levels of a log, most important first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];

export type Log = (level: LogLevel, line: string) => void;

/** Returns a log that writes lines of `level` and of more important levels. */
export function logUpTo(level: LogLevel, write: (line: string) => void): Log {
  const last = logLevels.indexOf(level);
  return (each, line) => {
    if (logLevels.indexOf(each) <= last) write(line);
  };
}
