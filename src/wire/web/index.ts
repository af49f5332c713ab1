export { noAccess, type SavedAccess, WebAccess } from './access/web-access.ts';
export { checkWebRequest } from './http/web-request.ts';
export { WebServer, type WebServerOptions } from './web-server.ts';
