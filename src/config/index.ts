export { type ClientConfig, clientConfigFile, readClientConfig } from './client-config.ts';
export { addCoordinator, removeCoordinator } from './edit-coordinators.ts';
export { expandPath } from './expand-path.ts';
export { makeFolder } from './make-folder.ts';
export { ownSocket } from './own-socket.ts';
export { expandHome, type Place } from './places.ts';
export { ensurePrivateFolder, folderProblem } from './private-folder.ts';
export { readServerConfig, type ServerConfig } from './server-config.ts';
export { checkSocketPath } from './socket-path.ts';
