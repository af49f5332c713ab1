import type { ConnectRouter } from '@connectrpc/connect';
import type { Coordinator } from '#model';
import { Health } from '../gen/grpc/health/v1/health.gen.ts';
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection.gen.ts';
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection.gen.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { type HandlerOptions, vtrHandlers } from './handlers.ts';
import { healthHandlers } from './health.ts';
import { answerReflection } from './reflection.ts';

/** All that the socket answers. */
export function routes(
  coordinator: Coordinator,
  options: HandlerOptions,
): (router: ConnectRouter) => void {
  return (router) => {
    router.service(VTR, vtrHandlers(coordinator, options));
    router.service(Health, healthHandlers(options.closing));
    router.service(ServerReflection, { serverReflectionInfo: answerReflection });
    router.service(ServerReflectionAlpha, { serverReflectionInfo: answerReflection });
  };
}
