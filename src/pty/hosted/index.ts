export type { Deprival } from '../port.ts';
export { endLeft, leftPrograms } from '../processes/end-left.ts';
export { bindingInUse } from '../start/load-binding.ts';
export { checkFilesLeft, filesLeft, limitsOfStart } from '../start/system-limits.ts';
export * from './frames.ts';
export type { RestartCommand, Survival } from './host-connection.ts';
export type { HostedPtyHost } from './hosted-pty-host.ts';
export * from './probe-pty-host.ts';
export { type PtyHostProbe, probePtyHost } from './probe-pty-host.ts';
export { PtyHosts } from './pty-hosts.ts';
export * from './saved-frames.ts';
export {
  type ConnectOptions,
  connectPtyHost,
  PtyHostProcess,
  startPtyHost,
  useHostProcess,
} from './start-pty-host.ts';
export { decodeWriteOptions, encodeWriteReceipt } from './write-options.ts';
