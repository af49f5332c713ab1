export { WebAccess } from './access/web-access.ts';
export { checkWebRequest } from './http/origins.ts';
export type { WebSessions } from './scope.ts';
export { WebServer } from './web-server.ts';
