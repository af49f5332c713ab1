const shells = new Set([
  'sh',
  'bash',
  'zsh',
  'fish',
  'dash',
  'ash',
  'ksh',
  'mksh',
  'csh',
  'tcsh',
  'nu',
]);

/** Returns whether a program of this name is a shell. @param name without a directory */
export const isShell = (name: string): boolean => shells.has(name);
