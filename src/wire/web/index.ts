export { WebAccess } from './access/web-access.ts';
export { checkWebRequest } from './http/origins.ts';
export { WebServer } from './web-server.ts';
