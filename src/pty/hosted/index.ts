export { connectPtyHost } from './connect-pty-host.ts';
export * from './frames.ts';
export { PtyHosts } from './pty-hosts.ts';
export { startPtyHost } from './start-pty-host.ts';
