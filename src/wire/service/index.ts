export { type ConnectOptions, connect } from './client/connect.ts';
export type { DaemonDescription } from './convert/daemon.ts';
export { GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts';
export type { DaemonControls } from './server/handlers.ts';
