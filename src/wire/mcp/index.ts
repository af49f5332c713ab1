export { serveOnHttp } from './http/serve-on-http.ts';
export type { McpOptions } from './options.ts';
export { serveOnStdio } from './serve-on-stdio.ts';
export { Service } from './service.ts';
export type { SessionHost } from './session-host.ts';
export { terminalTools } from './tools/index.ts';
