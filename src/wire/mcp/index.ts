export { serveOnHttp } from './http/serve-on-http.ts';
export type { McpOptions } from './options.ts';
export { Service } from './service.ts';
export type { SessionHost } from './session-host.ts';
export { serveOnStdio } from './stdio/serve-on-stdio.ts';
export { terminalTools } from './tools/index.ts';
