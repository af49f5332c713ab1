import { create, createRegistry, type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { quoted } from '#base';
import { file_vtr, VTR } from '#messages';
import {
  file_grpc_health_v1_health,
  Health,
  HealthCheckResponse_ServingStatus,
} from '../gen/grpc/health/v1/health.gen.ts';
import {
  file_grpc_reflection_v1_reflection,
  ServerReflection,
} from '../gen/grpc/reflection/v1/reflection.gen.ts';
import {
  file_grpc_reflection_v1alpha_reflection,
  ServerReflection as ServerReflectionAlpha,
} from '../gen/grpc/reflection/v1alpha/reflection.gen.ts';
import { untilClosing } from './limits/accepted.ts';

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
const services = ['', VTR.typeName];

/** gRPC's health checks. @param closing aborted when the server begins to stop */
function healthHandlers(closing: AbortSignal): ServiceImpl<typeof Health> {
  const { NOT_SERVING, SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
  const now = () => (closing.aborted ? NOT_SERVING : SERVING);
  return {
    check({ service }) {
      if (services.includes(service)) return { status: now() };
      throw new ConnectError(`there is no service ${quoted(service)}`, Code.NotFound);
    },
    async *watch({ service }, context) {
      if (!services.includes(service)) {
        yield { status: SERVICE_UNKNOWN };
        return;
      }
      yield { status: now() };
      await untilClosing(closing, context);
      yield { status: now() };
    },
  };
}

const files: readonly DescFile[] = [
  file_vtr,
  file_grpc_health_v1_health,
  file_grpc_reflection_v1_reflection,
  file_grpc_reflection_v1alpha_reflection,
];
const allFiles = files.flatMap(withDependencies);
const registry = createRegistry(...allFiles);

/** A request of either version of gRPC's reflection; they differ only in their names. */
interface Request {
  readonly host: string;
  readonly messageRequest: {
    readonly case?: string | undefined;
    readonly value?: unknown;
  };
}

/** Answers each request of gRPC's reflection. */
async function* answerReflection<Asked extends Request>(requests: AsyncIterable<Asked>) {
  for await (const originalRequest of requests) {
    const { host: validHost, messageRequest } = originalRequest;
    yield { validHost, originalRequest, messageResponse: answer(messageRequest) };
  }
}

function answer(request: Request['messageRequest']) {
  const what = String(request.value);
  switch (request.case) {
    case 'listServices': {
      const services = files.flatMap((file) => file.services);
      const value = { service: services.map(({ typeName: name }) => ({ name })) };
      return { case: 'listServicesResponse', value } as const;
    }
    case 'fileByFilename':
      return answerFile(fileNamed(what), what);
    case 'fileContainingSymbol':
      return answerFile(fileOf(what), what);
    case 'fileContainingExtension':
    case 'allExtensionNumbersOfType':
      return notFound('there are no extensions');
    default:
      return failure(Code.InvalidArgument, 'the request is empty');
  }
}

/** Answers with the file and all its imports, so that one request is enough. */
function answerFile(file: DescFile | undefined, what: string) {
  if (file === undefined) return notFound(`there is no ${quoted(what)}`);
  const fileDescriptorProto = withDependencies(file).map(({ proto: { $typeName: _, ...fields } }) =>
    toBinary(FileDescriptorProtoSchema, create(FileDescriptorProtoSchema, fields)),
  );
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } } as const;
}

const fileNamed = (name: string) => allFiles.find(({ proto }) => proto.name === name);

function fileOf(symbol: string): DescFile | undefined {
  // The name of a method or field begins with the name of its service or message.
  return (registry.get(symbol) ?? registry.get(symbol.replace(/\.[^.]*$/, '')))?.file;
}

function withDependencies(file: DescFile): DescFile[] {
  return [file, ...new Set(file.dependencies.flatMap(withDependencies))];
}

const notFound = (message: string) => failure(Code.NotFound, message);

const failure = (errorCode: Code, errorMessage: string) =>
  ({ case: 'errorResponse', value: { errorCode, errorMessage } }) as const;
