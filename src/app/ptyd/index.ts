export { PtyServer } from './pty-server.ts';
