// Prints manifest.json, which describes vtr to hosts of MCP bundles (MCPB, manifest 0.3).
import { readFileSync } from 'node:fs';
import { isWholeNumber, mcpRows } from '#config';
import { terminalTools } from '#wire/mcp';
import { root } from './root.mjs';

/** @type {{ name: string, version: string, description: string, license: string, keywords: string[], engines: { node: string } }} */
const { name, version, description, license, keywords, engines } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

/**
 * The options that hosts offer to users. A text option needs a default, because the server would receive its
 * placeholder. A number cannot be empty, so the server does receive the placeholder, and ignores it.
 */
const options = mcpRows.flatMap(({ option, mcp, accepted, variable, about }) => {
  if (mcp.title === undefined) return [];
  const description = `${about.replace(/^./, (first) => first.toUpperCase())}.`;
  const kind = isWholeNumber(accepted)
    ? { type: 'number', min: accepted.from, max: accepted.to }
    : { type: 'string', default: '' };
  return [{ variable, key: option.key, declared: { title: mcp.title, description, ...kind } }];
});

const manifest = {
  manifest_version: '0.3',
  name,
  display_name: 'vtr terminals',
  version,
  description,
  long_description:
    'Real terminals for Claude: shells, REPLs, editors and other full-screen programs that stay between ' +
    'calls. Waits instead of polling, exit codes of single commands, search in the history. A person ' +
    `can view every session with the \`vtr\` command. Needs Node.js ${engines.node.replace('>=', '')} or newer.`,
  author: { name: 'The vtr authors' },
  license,
  keywords,
  server: {
    type: 'node',
    entry_point: 'dist/vtr.cjs',
    mcp_config: {
      // Not `node`, which some hosts replace by one of their own that may load no addon: ADR 0038.
      command: '/bin/sh',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces it
      args: ['${__dirname}/start.sh', engines.node.replace('>=', '')],
      env: Object.fromEntries(
        options.map(({ variable, key }) => [variable, `\${user_config.${key}}`]),
      ),
    },
  },
  tools: terminalTools
    .filter(({ isUnlisted }) => !isUnlisted)
    .map(({ name, title }) => ({ name, description: title })),
  prompts_generated: true,
  compatibility: { platforms: ['darwin', 'linux'], runtimes: { node: engines.node } },
  user_config: Object.fromEntries(options.map(({ key, declared }) => [key, declared])),
};

process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
