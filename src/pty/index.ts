export { defaultShell } from './default-shell.ts';
export {
  buildEnvironment,
  type Environment,
  type EnvironmentRequest,
  isSensitiveName,
} from './environment.ts';
export { createPtyHost, type PtyHostOptions } from './in-process-pty-host.ts';
export {
  defaultGraceMs,
  defaultLogBytes,
  type EndOptions,
  type OutputChunk,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  type SessionMarker,
  type SignalTarget,
  type WriteOptions,
} from './port.ts';
