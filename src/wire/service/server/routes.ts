import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { VTR } from '#messages';
import { Health, HealthCheckResponse_ServingStatus } from '../gen/grpc/health/v1/health.gen.ts';
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection.gen.ts';
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection.gen.ts';
import { answerReflection } from './reflection.ts';
import { untilClosing } from './until-closing.ts';

/** Registers every service of the socket. @param closing aborted when the server begins to stop */
export function routes(
  handlers: ServiceImpl<typeof VTR>,
  closing: AbortSignal,
): (router: ConnectRouter) => void {
  return (router) => {
    router.service(VTR, handlers);
    router.service(Health, healthHandlers(closing));
    router.service(ServerReflection, { serverReflectionInfo: answerReflection });
    router.service(ServerReflectionAlpha, { serverReflectionInfo: answerReflection });
  };
}

/** Services with a health status: the server as a whole, and ours. */
const known = ['', VTR.typeName];

/** gRPC's health checks. @param closing aborted when the server begins to stop */
function healthHandlers(closing: AbortSignal): ServiceImpl<typeof Health> {
  const { NOT_SERVING, SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
  const now = () => (closing.aborted ? NOT_SERVING : SERVING);
  return {
    check({ service }) {
      if (known.includes(service)) return { status: now() };
      throw new ConnectError(`there is no service ${JSON.stringify(service)}`, Code.NotFound);
    },
    async *watch({ service }, context) {
      if (!known.includes(service)) {
        yield { status: SERVICE_UNKNOWN };
        return;
      }
      yield { status: now() };
      await untilClosing(closing, context);
      yield { status: now() };
    },
  };
}
