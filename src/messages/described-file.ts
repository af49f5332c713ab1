import { createFileRegistry } from '@bufbuild/protobuf';
import type { GenFile } from '@bufbuild/protobuf/codegenv2';
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';

const none: never[] = [];

/**
 * Returns the descriptor of a file of the protocol, as `fileDesc` of @bufbuild/protobuf does. That one decodes
 * base64 and Protocol Buffers with code that has just been loaded, which took a process 16 ms; JSON takes 2.
 *
 * @param json a FileDescriptorProto (google/protobuf/descriptor.proto) as an object of @bufbuild/protobuf, without
 * fields that are not set, as scripts/generate-proto.mjs writes it
 * @param imports the descriptors of all files that it imports, in any order
 * @throws Error for a type that neither the file nor its imports have
 */
export function describedFile(json: string, imports: readonly GenFile[]): GenFile {
  const $typeName = 'google.protobuf.FileDescriptorProto';
  const file: FileDescriptorProto = { ...JSON.parse(json), $typeName };
  file.dependency = imports.map(({ proto }) => proto.name);
  file.messageType ??= none;
  file.enumType ??= none;
  file.service ??= none;
  file.extension = none;
  file.messageType.forEach(completeMessage);
  file.enumType.forEach(completeEnum);
  const registry = createFileRegistry(file, (name) =>
    imports.find(({ proto }) => proto.name === name),
  );
  return registry.getFile(file.name) as GenFile;
}

/** Adds the lists that are empty, and the names in JSON, which follow from those of the fields. */
function completeMessage(message: DescriptorProto): void {
  message.field ??= none;
  message.nestedType ??= none;
  message.enumType ??= none;
  message.oneofDecl ??= none;
  message.extension = none;
  for (const field of message.field) field.jsonName = jsonName(field.name);
  message.nestedType.forEach(completeMessage);
  message.enumType.forEach(completeEnum);
}

function completeEnum(each: EnumDescriptorProto): void {
  each.reservedName ??= none;
}

/** As protoc makes it: https://protobuf.dev/programming-guides/json/. */
const jsonName = (name: string): string =>
  name.includes('_')
    ? name.replace(/_+([a-z0-9]?)/g, (_, next: string) => next.toUpperCase())
    : name;
