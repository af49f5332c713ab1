export { connectPtyHost } from './connect-pty-host.ts';
export * from './frames.ts';
export { startPtyHost } from './start-pty-host.ts';
export { SupervisedPtyHost } from './supervised-pty-host.ts';
