export { defaultShell } from './default-shell.ts';
export {
  buildEnvironment,
  isSensitiveName,
} from './environment.ts';
export { createPtyHost } from './in-process-pty-host.ts';
export type {
  EndOptions,
  OutputChunk,
  Pty,
  PtyHost,
  PtySpawnRequest,
} from './port.ts';
export { resolveProgram } from './resolve-program.ts';
