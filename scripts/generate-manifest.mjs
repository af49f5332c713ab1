// Prints manifest.json, which describes vtr to hosts of MCP bundles (MCPB, manifest 0.3).
import { readFileSync } from 'node:fs';
import { mcpVariables } from '#config';
import { terminalTools } from '#wire/mcp';
import { root } from './root.mjs';

/** @type {{ name: string, version: string, description: string, license: string, keywords: string[], engines: { node: string } }} */
const { name, version, description, license, keywords, engines } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

/**
 * The options, as hosts show them to users.
 *
 * @type {Readonly<Record<keyof typeof mcpVariables, readonly [title: string, description: string]>>}
 */
const texts = {
  defaultRows: ['Rows', 'Height of new terminals. Default: 24.'],
  defaultCols: ['Columns', 'Width of new terminals. Default: 80.'],
  defaultShell: ['Shell', 'The program of a session for which none is given. Default: your shell.'],
  term: ['TERM', 'The value of TERM for programs. Default: xterm-256color.'],
  scrollbackLimit: ['Lines of history', 'The number of lines of scrollback. Default: 10,000.'],
  promptPattern: [
    'Prompt',
    'A regular expression (RE2) for the end of a prompt that the shell does not mark.',
  ],
  maxSessions: [
    'Terminals at once',
    'The number of terminals that may run at the same time. Default: 10.',
  ],
  answers: ['Answers', 'lean: only what is new. full: every documented field. Default: lean.'],
};

/** The user sets `VTR_DEFAULT_ROWS` as `default_rows`. @param {string} variable */
const optionName = (variable) => variable.replace(/^VTR_/, '').toLowerCase();

/**
 * A text option needs a default, because the server would receive its placeholder. A number cannot be
 * empty, so the server does receive the placeholder, and ignores it.
 */
const options = Object.entries(mcpVariables).map(([option, [variable, value]]) => {
  const [title, about] = texts[/** @type {keyof typeof texts} */ (option)];
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
    `can view every session with the \`vtr\` command. Needs Node.js ${engines.node.replace('>=', '')} or newer.`,
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
