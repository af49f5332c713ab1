export * from './client/index.ts';
export type { DaemonControls, DaemonDescription } from './convert/daemon.ts';
export { GrpcServer, type GrpcServerOptions } from './server/grpc-server.ts';
export { ReportServer } from './server/report-server.ts';
