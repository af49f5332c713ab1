// Prints the TypeScript for one file of proto/: messages, enums and services as @bufbuild/protobuf
// describes them. `node scripts/generate-proto.mjs vtr.proto`

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { root } from './root.mjs';
import { runNode } from './steps/run.mjs';
import { tools } from './steps/tools.mjs';

const [file = ''] = process.argv.slice(2);
// The web page reads the service's messages as JSON.
const jsonTypes = file === 'vtr.proto' ? ['json_types=true'] : [];
const out = mkdtempSync(join(tmpdir(), 'vtr-proto-'));
const template = {
  version: 'v2',
  plugins: [
    {
      local: [process.execPath, tools.protocGenEs],
      out,
      opt: ['target=ts', 'import_extension=ts', 'erasable_syntax=true', ...jsonTypes],
    },
  ],
};
try {
  const args = ['generate', 'proto', '--template', JSON.stringify(template)];
  const { status, output } = await runNode(tools.buf, [...args, '--path', join('proto', file)], {
    cwd: root,
  });
  if (status !== 0) throw new Error(`buf generate ${file} failed:\n${output}`);
  const code = readFileSync(join(out, file.replace(/\.proto$/, '_pb.ts')), 'utf8');
  process.stdout.write(file === 'vtr.proto' ? withJson(code) : code);
} finally {
  rmSync(out, { recursive: true });
}

/**
 * Returns the code with the descriptor of the file as JSON, which is read sooner (src/messages/described-file.ts).
 *
 * @param {string} code
 */
function withJson(code) {
  const embedded = /\bfileDesc\("([^"]+)"/;
  const [, base64] = embedded.exec(code) ?? [];
  if (base64 === undefined) throw new Error(`the code of ${file} has no descriptor`);
  const proto = fromBinary(FileDescriptorProtoSchema, Buffer.from(base64, 'base64'));
  const json = JSON.stringify(proto, (name, value) => (isSet(name, value) ? value : undefined));
  if (/['\\]/.test(json)) throw new Error(`the descriptor of ${file} is not plain text`);
  return code
    .replace(embedded, () => `describedFile('${json}'`)
    .replace('fileDesc, ', '')
    .replace(
      /^import type \{ JsonObject/m,
      'import { describedFile } from "./described-file.ts";\n$&',
    );
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function isSet(name, value) {
  return !name.startsWith('$') && !(Array.isArray(value) && value.length === 0);
}
