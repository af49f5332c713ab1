import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { GenService } from '@bufbuild/protobuf/codegenv2';
import {
  EmptySchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_empty,
} from '@bufbuild/protobuf/wkt';

interface Method {
  readonly methodKind: 'unary';
  readonly input: typeof EmptySchema;
  readonly output: typeof EmptySchema;
}

/** A service with one method, which takes and returns an empty message. */
type EmptyService = GenService<{ nothing: Method }>;

export const emptyService = serviceOf();

function serviceOf(): EmptyService {
  const empty = `.${EmptySchema.typeName}`;
  const method = { name: 'Nothing', inputType: empty, outputType: empty };
  const file = create(FileDescriptorProtoSchema, {
    name: 'empty.proto',
    package: 'bench',
    syntax: 'proto3',
    dependency: ['google/protobuf/empty.proto'],
    service: [{ name: 'Empty', method: [method] }],
  });
  const registry = createFileRegistry(file, () => file_google_protobuf_empty);
  return registry.getService('bench.Empty') as EmptyService;
}
