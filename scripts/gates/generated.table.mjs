/**
 * The generated files that are committed. A generator is a script that prints its file to stdout:
 * `npm run generate` writes it, and the gate `generated` compares it.
 *
 * @typedef {object} Generator
 * @property {string} script relative to the root, run by Node
 * @property {readonly string[]} [args]
 * @property {string} output relative to the root
 */

/** Files of proto/ that other programs than vtr have, too. */
const protocols = [
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto',
];

/** @type {readonly Generator[]} */
export const generators = [
  { script: 'scripts/generate-architecture.mjs', output: 'ARCHITECTURE.md' },
  // Before the help of the command, which contains it.
  {
    script: 'scripts/generate-keys.mjs',
    args: ['--help-of-verbs'],
    output: 'src/app/cli/verbs/key-help.gen.ts',
  },
  { script: 'scripts/generate-commands.mjs', output: 'docs/commands.md' },
  { script: 'scripts/generate-configuration.mjs', output: 'docs/configuration.md' },
  { script: 'scripts/generate-errors.mjs', output: 'docs/errors.md' },
  { script: 'scripts/generate-grapheme-table.mjs', output: 'src/vt/cells/grapheme-table.gen.ts' },
  { script: 'scripts/generate-keys.mjs', output: 'docs/keys.md' },
  { script: 'scripts/generate-manifest.mjs', output: 'manifest.json' },
  {
    script: 'scripts/generate-message-fields.mjs',
    output: 'src/wire/service/gen/message-fields.gen.ts',
  },
  { script: 'scripts/generate-package.mjs', output: 'package.json' },
  { script: 'scripts/generate-sequences.mjs', output: 'docs/sequences.md' },
  { script: 'scripts/generate-version.mjs', output: 'src/model/version.gen.ts' },
  { script: 'scripts/generate-proto.mjs', args: ['vtr.proto'], output: 'src/messages/vtr.gen.ts' },
  ...protocols.map((proto) => ({
    script: 'scripts/generate-proto.mjs',
    args: [proto],
    output: `src/wire/service/gen/${proto.replace(/\.proto$/, '')}.gen.ts`,
  })),
  { script: 'scripts/generate-width-table.mjs', output: 'src/vt/cells/width-table.gen.ts' },
];
