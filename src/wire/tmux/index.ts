export { TmuxServers } from './tmux-servers.ts';
