import { join } from 'node:path';
import {
  type CallOptions,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { root } from '../../../scripts/root.mjs';

/** A message of grpc-js: fields by the names of the proto, enumerations as words. */
// biome-ignore lint/suspicious/noExplicitAny: its types exist only at run time
export type Message = Record<string, any>;

const definition = loadSync(join(root, 'test/proto/vtr.proto'), {
  keepCase: true,
  enums: String,
  longs: Number,
  defaults: true,
});
const service = (loadPackageDefinition(definition) as { vtr: { VTR: ServiceClientConstructor } })
  .vtr.VTR;

/**
 * A gRPC client that shares nothing with our code: another implementation of gRPC, which reads only the
 * proto of the specification.
 */
export class SpecClient {
  readonly #client: InstanceType<ServiceClientConstructor>;

  constructor(socket: string) {
    this.#client = new service(`unix:${socket}`, credentials.createInsecure());
  }

  /** @throws ServiceError of grpc-js */
  call(method: string, request: Message = {}, options: CallOptions = {}): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#client[method]?.(request, options, (error: Error | null, answer: Message) => {
        if (error === null) resolve(answer);
        else reject(error);
      });
    });
  }

  stream(method: string, request: Message): ClientReadableStream<Message> {
    return this.#client[method]?.(request) as ClientReadableStream<Message>;
  }

  /** Names of the RPCs. */
  get methods(): string[] {
    return Object.keys(service.service);
  }

  close(): void {
    this.#client.close();
  }
}
