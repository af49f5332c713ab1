import {
  create,
  type DescField,
  type DescFile,
  type DescMessage,
  toBinary,
} from '@bufbuild/protobuf';
import type { GenFile } from '@bufbuild/protobuf/codegenv2';
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_api,
  file_google_protobuf_source_context,
  file_google_protobuf_struct,
  file_google_protobuf_type,
} from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { describedFile } from './described-file.ts';

/** Google's own files, with all that ours have: maps, choices, optional and repeated fields, enums, imports. */
const files: readonly [GenFile, readonly GenFile[]][] = [
  [file_google_protobuf_struct, []],
  [file_google_protobuf_api, [file_google_protobuf_source_context, file_google_protobuf_type]],
];

const own = (file: GenFile): string =>
  JSON.stringify(file.proto, (name, value: unknown) =>
    name.startsWith('$') || name === 'jsonName' || (Array.isArray(value) && value.length === 0)
      ? undefined
      : value,
  );

const ofField = ({ name, jsonName, localName, number, presence, oneof, ...rest }: DescField) => ({
  names: [name, jsonName, localName, oneof?.localName],
  number,
  presence,
  kinds: [rest.fieldKind, rest.fieldKind === 'map' && rest.mapKind, rest.scalar],
  packed: rest.fieldKind === 'list' && rest.packed,
  types: [rest.message?.typeName, rest.enum?.typeName],
});

const ofMessage = ({ typeName, fields, members, nestedMessages }: DescMessage): unknown => ({
  typeName,
  fields: fields.map(ofField),
  members: members.map(({ name }) => name),
  nestedMessages: nestedMessages.map(ofMessage),
});

const shapeOf = (file: DescFile) => ({
  name: file.name,
  messages: file.messages.map(ofMessage),
  enums: file.enums.map(({ typeName, values }) => [typeName, values.map((each) => each.localName)]),
  dependencies: file.dependencies.map(({ name }) => name),
});

test.each(files)('describes a file as @bufbuild/protobuf does', (file, imports) => {
  const described = describedFile(own(file), imports);
  expect(shapeOf(described)).toEqual(shapeOf(file));
  const bytes = ({ proto: { $typeName: _, ...fields } }: GenFile) =>
    toBinary(FileDescriptorProtoSchema, create(FileDescriptorProtoSchema, fields));
  expect(bytes(described)).toEqual(bytes(file));
});
