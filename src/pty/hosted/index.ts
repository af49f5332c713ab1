export * from './frames.ts';
export { startPtyHost } from './start-pty-host.ts';
