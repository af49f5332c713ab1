export { connect } from './client/connect.ts';
export { responds } from './client/silence.ts';
export type { DaemonControls, DaemonDescription } from './convert/daemon.ts';
export { GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts';
