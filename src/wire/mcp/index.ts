export { serveOnHttp } from './http/serve-on-http.ts';
export type { McpOptions } from './options.ts';
export type { SessionHost } from './redacted-host.ts';
export { Service } from './service.ts';
export { type Streams, serveOnStdio, serveOnStreams } from './stdio/serve-on-stdio.ts';
export { terminalTools } from './tools/index.ts';
