export { WebAccess } from './access/web-access.ts';
export { checkWebRequest } from './http/origins.ts';
export type { WebSessions } from './socket/visitor-view.ts';
export { WebServer } from './web-server.ts';
