export * from './client/index.ts';
export type { DaemonControls, DaemonDescription } from './convert/sessions/daemon.ts';
export { GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts';
