export { checkProgram } from './check-program.ts';
export { defaultShell } from './default-shell.ts';
export {
  buildEnvironment,
  isSensitiveName,
} from './environment.ts';
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
export { resolveProgram } from './resolve-program.ts';
