export { FedPty } from './fed-pty.ts';
export { createPtyHost } from './in-process-pty-host.ts';
export type {
  EndOptions,
  Foreground,
  OutputChunk,
  Pty,
  PtyHost,
  PtySpawnRequest,
  TerminalModes,
  TreeUsage,
} from './port.ts';
export { checkProgram } from './start/check-program.ts';
export { defaultShell } from './start/default-shell.ts';
export {
  buildEnvironment,
  isSensitiveName,
} from './start/environment.ts';
export { resolveProgram } from './start/resolve-program.ts';
