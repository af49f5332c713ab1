import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  type Health,
  HealthCheckResponse_ServingStatus as Status,
} from '../gen/grpc/health/v1/health.gen.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { untilClosing } from './until-closing.ts';

/** The services that are probed: the server as a whole, and ours. */
const known = ['', VTR.typeName];

/** gRPC's health checks. @param closing aborted when the server begins to stop */
export function healthHandlers(closing: AbortSignal): ServiceImpl<typeof Health> {
  const now = () => (closing.aborted ? Status.NOT_SERVING : Status.SERVING);
  return {
    check({ service }) {
      if (known.includes(service)) return { status: now() };
      throw new ConnectError(`there is no service ${JSON.stringify(service)}`, Code.NotFound);
    },
    async *watch({ service }, context) {
      if (!known.includes(service)) {
        yield { status: Status.SERVICE_UNKNOWN };
        return;
      }
      yield { status: now() };
      await untilClosing(closing, context);
      yield { status: now() };
    },
  };
}
