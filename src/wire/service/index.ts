export { type ConnectOptions, connect } from './client/connect.ts';
export type { DaemonControls, DaemonDescription } from './server/daemon-controls.ts';
export { GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts';
