/** What is worth saying: from what always is, to what only is to who looks for a fault. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];

export type Log = (level: LogLevel, line: string) => void;

/** Says what is as important as `level`, or more. */
export function logUpTo(level: LogLevel, say: (line: string) => void): Log {
  const last = logLevels.indexOf(level);
  return (each, line) => {
    if (logLevels.indexOf(each) <= last) say(line);
  };
}
