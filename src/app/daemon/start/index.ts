export { beginDaemon } from './begin-daemon.ts';
