import { join } from 'node:path';
import { root } from '../root.mjs';

const installed = join(root, 'node_modules');

/**
 * The JavaScript files of command-line tools, to be run with Node. Files of `node_modules/.bin` need a
 * shell on some systems.
 */
export const tools = {
  tsc: join(installed, 'typescript/bin/tsc'),
  biome: join(installed, '@biomejs/biome/bin/biome'),
  buf: join(installed, '@bufbuild/buf/bin/buf'),
  protocGenEs: join(installed, '@bufbuild/protoc-gen-es/bin/protoc-gen-es'),
  knip: join(installed, 'knip/bin/knip.js'),
  mcpb: join(installed, '@anthropic-ai/mcpb/dist/cli/cli.js'),
  attw: join(installed, '@arethetypeswrong/cli/dist/index.js'),
  vitest: join(installed, 'vitest/vitest.mjs'),
};
