// Prints src/wire/service/gen/message-fields.gen.ts: the fields of the messages of proto/vtr.proto's
// unary calls, by which the short client reads and writes their JSON. With `--requests`, prints
// src/wire/web/socket/call-fields.gen.ts: the fields of the request of each call.
import { join } from 'node:path';
import { root } from './root.mjs';
import { runNode } from './steps/run.mjs';
import { tools } from './steps/tools.mjs';

/**
 * As in google/protobuf/descriptor.proto, as far as this file reads them.
 *
 * @typedef {object} Field
 * @property {string} jsonName
 * @property {string} type
 * @property {string} label
 * @property {string} [typeName] with a dot before it
 * @property {number} [oneofIndex]
 * @property {boolean} [proto3Optional]
 *
 * @typedef {object} Message
 * @property {string} name
 * @property {Field[]} [field]
 * @property {Message[]} [nestedType]
 * @property {{ name: string }[]} [oneofDecl]
 * @property {{ mapEntry?: boolean }} [options]
 *
 * @typedef {object} File
 * @property {string} name
 * @property {string} package
 * @property {Message[]} messageType
 * @property {{ name: string, value: { name: string, number?: number }[] }[]} enumType
 * @property {{ method: { name: string, inputType: string, outputType: string, clientStreaming?: boolean, serverStreaming?: boolean }[] }[]} service
 */

/** Kinds of fields by the type of the protocol; enums and messages go by their own name. */
/** @type {Readonly<Record<string, string>>} */
const scalars = {
  TYPE_STRING: 'string',
  TYPE_BOOL: 'bool',
  TYPE_BYTES: 'bytes',
  TYPE_INT32: 'number',
  TYPE_UINT32: 'number',
  TYPE_DOUBLE: 'number',
  TYPE_UINT64: 'bigint',
  '.google.protobuf.Duration': 'duration',
  '.google.protobuf.Timestamp': 'timestamp',
};

/** Kinds of maps, by the type of their values. */
/** @type {Readonly<Record<string, string>>} */
const mapKinds = { TYPE_STRING: 'texts', TYPE_UINT32: 'numbers' };

/** @returns {Promise<File>} */
async function describe() {
  const args = ['build', 'proto', '--path', join('proto', 'vtr.proto'), '--exclude-source-info'];
  const built = await runNode(tools.buf, [...args, '-o', '-#format=json'], { cwd: root });
  if (built.status !== 0) throw new Error(`buf build failed:\n${built.output}`);
  return JSON.parse(built.stdout).file.find((/** @type {File} */ { name }) => name === 'vtr.proto');
}

const file = await describe();
const localName = (/** @type {string} */ typeName) => typeName.slice(file.package.length + 2);
const enums = new Map(file.enumType.map((each) => [each.name, each]));
const messages = new Map(file.messageType.map((each) => [each.name, each]));

/** @param {Field} field @param {Message} message */
function kindOf({ jsonName, type, typeName = '' }, message) {
  const scalar = scalars[type] ?? scalars[typeName];
  if (scalar !== undefined) return scalar;
  const name = localName(typeName);
  const entry = message.nestedType?.find(
    (each) => each.options?.mapEntry && name.endsWith(each.name),
  );
  const kind = mapKinds[entry?.field?.[1]?.type ?? ''];
  if (kind !== undefined) return kind;
  if (enums.has(name) || messages.has(name)) return name;
  throw new Error(`${message.name}.${jsonName}: ${typeName || type} has no kind`);
}

/** @param {Field} field @param {Message} message */
function fieldText(field, message) {
  const kind = kindOf(field, message);
  const text = `${field.jsonName}:${kind}`;
  if (Object.values(mapKinds).includes(kind)) return text;
  if (field.label === 'LABEL_REPEATED') return `${text}:repeated`;
  if (field.proto3Optional) return `${text}:optional`;
  if (field.oneofIndex === undefined) return text;
  return `${text}:oneof:${message.oneofDecl?.[field.oneofIndex]?.name}`;
}

/** Messages that a unary call can contain, by name. @type {Map<string, string>} */
const shown = new Map();

/** @param {string} name */
function show(name) {
  const message = messages.get(name);
  if (message === undefined || shown.has(name)) return;
  const { field: fields = [] } = message;
  shown.set(name, fields.map((each) => fieldText(each, message)).join(' '));
  for (const each of fields) show(localName(each.typeName ?? ''));
}

for (const { method } of file.service) {
  for (const { inputType, outputType, clientStreaming, serverStreaming } of method) {
    if (clientStreaming || serverStreaming) continue;
    show(localName(inputType));
    show(localName(outputType));
  }
}

/** Names of the fields of each request, by call. */
const requests = file.service.flatMap(({ method }) =>
  method.map(({ name, inputType }) => {
    const fields = messages.get(localName(inputType))?.field ?? [];
    const names = fields.map(({ jsonName }) => `'${jsonName}'`);
    return /** @type {const} */ ([name, names.join(' | ') || 'never']);
  }),
);

/** @param {File['enumType'][number]} each */
function valuesText({ name, value: [unspecified, ...others] }) {
  // buf's rules ENUM_ZERO_VALUE_SUFFIX and ENUM_VALUE_PREFIX.
  const prefix = unspecified?.name.replace(/UNSPECIFIED$/, '') ?? '';
  const texts = others.map((value) => `${value.name.slice(prefix.length)}=${value.number}`);
  return /** @type {const} */ ([name, [prefix, ...texts].join(' ')]);
}

/** @param {Iterable<readonly [string, string]>} entries */
const rows = (entries) =>
  [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `  ${name}: '${text}',`)
    .join('\n');

const asksRequests = process.argv.includes('--requests');
const requestsText = `// Generated by scripts/generate-message-fields.mjs; do not edit.

/** The names of the fields of the request of each call of proto/vtr.proto, in JSON. */
export interface CallFields {
${requests.map(([name, names]) => `  ${name}: ${names};`).join('\n')}
}
`;

process.stdout.write(
  asksRequests
    ? requestsText
    : `// Generated by scripts/generate-message-fields.mjs; do not edit.

/**
 * Fields of each message, as \`name:kind\`, \`name:kind:repeated\`, \`name:kind:optional\` or
 * \`name:kind:oneof:group\`. A kind is a scalar, an enum, a message, or a map: of \`texts\` or \`numbers\`.
 */
export const messageFields: Readonly<Record<string, string>> = {
${rows(shown)}
};

/**
 * Values of each enum, as \`NAME=number\`, after the prefix that their names have in JSON. The value
 * UNSPECIFIED, which is 0, is left out.
 */
export const enumValues = {
${rows(file.enumType.map(valuesText))}
};
`,
);
