// Prints the TypeScript for one file of proto/: messages, enums and services as @bufbuild/protobuf
// describes them. `node scripts/generate-proto.mjs vtr.proto`
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  process.stdout.write(readFileSync(join(out, file.replace(/\.proto$/, '_pb.ts')), 'utf8'));
} finally {
  rmSync(out, { recursive: true });
}
