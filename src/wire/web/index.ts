export { WebAccess } from './access/web-access.ts';
export { checkWebRequest } from './http/origins.ts';
export type { PushOptions } from './push/pusher.ts';
export { newVapidKey, type VapidKey } from './push/vapid.ts';
export type { WebSessions } from './scope.ts';
export { WebServer } from './web-server.ts';
