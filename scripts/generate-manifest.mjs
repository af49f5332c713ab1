// Prints manifest.json: what a host of MCP bundles is told of vtr (MCPB, manifest 0.3).
import { readFileSync } from 'node:fs';
import { mcpVariables } from '#config';
import { terminalTools } from '#wire/mcp';
import { root } from './root.mjs';

/** @type {{ name: string, version: string, description: string, license: string, keywords: string[], engines: { node: string } }} */
const { name, version, description, license, keywords, engines } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

/**
 * The options, for the people who are asked for them.
 *
 * @type {Readonly<Record<keyof typeof mcpVariables, readonly [title: string, description: string]>>}
 */
const told = {
  defaultRows: ['Rows', 'Height of new terminals. 24 where it is left empty.'],
  defaultCols: ['Columns', 'Width of new terminals. 80 where it is left empty.'],
  defaultShell: ['Shell', 'What runs where no program is named. Your own shell where left empty.'],
  term: ['TERM', 'What programs take the terminal for. xterm-256color where left empty.'],
  scrollbackLimit: [
    'Lines of history',
    'How many lines a terminal keeps. 10,000 where it is left empty.',
  ],
  promptPattern: [
    'Prompt',
    'A regular expression (RE2) for the end of a prompt, where the shell does not mark it.',
  ],
  maxSessions: ['Terminals at once', 'How many may run at a time. 10 where it is left empty.'],
};

/** `VTR_DEFAULT_ROWS` is set by the person as `default_rows`. @param {string} variable */
const optionName = (variable) => variable.replace(/^VTR_/, '').toLowerCase();

/**
 * A text without a default would arrive as the words that should have been replaced. A number cannot
 * be empty, so it does arrive as them; the server takes either for nothing.
 */
const options = Object.entries(mcpVariables).map(([option, [variable, value]]) => {
  const [title, about] = told[/** @type {keyof typeof told} */ (option)];
  const kind =
    'from' in value
      ? { type: 'number', min: value.from, max: value.to }
      : { type: 'string', default: '' };
  return { variable, key: optionName(variable), declared: { title, description: about, ...kind } };
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
    `can look at every session with the \`vtr\` command. Needs Node.js ${engines.node.replace('>=', '')} or newer.`,
  author: { name: 'The vtr authors' },
  license,
  keywords,
  server: {
    type: 'node',
    entry_point: 'dist/vtr.cjs',
    mcp_config: {
      // Not `node`, which some hosts replace by one of their own that may load no addon: ADR 0040.
      command: '/bin/sh',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces it
      args: ['${__dirname}/start.sh', engines.node.replace('>=', '')],
      env: Object.fromEntries(
        options.map(({ variable, key }) => [variable, `\${user_config.${key}}`]),
      ),
    },
  },
  tools: terminalTools.map(({ name, title }) => ({ name, description: title })),
  prompts_generated: true,
  compatibility: { platforms: ['darwin', 'linux'], runtimes: { node: engines.node } },
  user_config: Object.fromEntries(options.map(({ key, declared }) => [key, declared])),
};

process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
