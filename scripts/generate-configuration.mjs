// Prints docs/configuration.md with its tables of keys, from the tables of options in src/config.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOptions, isWholeNumber, mcpRows, serverOptions } from '#config';
import { root } from './root.mjs';

/** @typedef {import('#config').McpRow['option']} Option */

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/**
 * Returns the comments of the rows of a table, by the names of the options.
 *
 * @param {string} path
 * @returns {(name: string) => { about: string, byDefault: string | undefined }}
 */
function commentsIn(path) {
  const source = readFileSync(join(root, path), 'utf8');
  return (name) => {
    const match = new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\s+${name}: \\w+\\(`, 's').exec(source);
    if (match === null)
      throw new Error(`${path}: the option ${name} has no comment, its text in the docs`);
    const text =
      match[1]
        ?.replace(/^\s*\*/gm, '')
        .replace(/\s+/g, ' ')
        .trim() ?? '';
    const [about = '', byDefault] = text.split(/ ?@default /);
    return { about, byDefault };
  };
}

/** @param {unknown} value as in TOML */
const written = (value) => `\`${Array.isArray(value) ? '[]' : JSON.stringify(value)}\``;

/** @param {Option['value']} value */
function valuesText(value) {
  const grouped = (/** @type {number} */ number) => number.toLocaleString('en');
  if (isWholeNumber(value)) return `${grouped(value.from)} to ${grouped(value.to)}`;
  const [text = ''] = value.mustBe.split(';');
  return text.replace(/"[^"]*"/g, (word) => `\`${word}\``).replace(/^an? /, '');
}

const serverComments = commentsIn('src/config/server-config.ts');

/** @type {ReadonlySet<string>} those that the coordinator does not read */
const mcpOnly = new Set(mcpRows.filter(({ mcp }) => !mcp.isShared).map(({ name }) => name));
const server = Object.entries(serverOptions)
  .filter(([name]) => !mcpOnly.has(name))
  .map(([name, option]) => {
    const { about, byDefault = written(option.default) } = serverComments(name);
    return [`\`${option.key}\``, about, valuesText(option.value), byDefault];
  });

const mcp = mcpRows.map(({ option, mcp, accepted, default: value }) => {
  const about = mcp.about.replace(/^./, (first) => first.toUpperCase());
  const byDefault = mcp.byDefault ?? written(value);
  return [`\`${option.key}\``, `\`--${mcp.flag}\``, `${about}.`, valuesText(accepted), byDefault];
});

const clientComments = commentsIn('src/config/client-config.ts');
const client = Object.entries(clientOptions).flatMap(([name, options]) => {
  const header = name === 'coordinators' ? '[[coordinators]]' : `[${name}]`;
  return Object.entries(options).map(([name, option]) => {
    const { about, byDefault } = clientComments(name);
    const value = option.default === null ? '' : written(option.default);
    return [`\`${header}\` \`${option.key}\``, about, valuesText(option.value), byDefault ?? value];
  });
});

/** @type {Readonly<Record<string, string>>} */
const tables = {
  server: table(['key', 'meaning', 'values', 'default'], server),
  mcp: table(['key', 'flag', 'meaning', 'values', 'default'], mcp),
  client: table(['key', 'meaning', 'values', 'default'], client),
};

const path = 'docs/configuration.md';
let text = readFileSync(join(root, path), 'utf8');
for (const [name, output] of Object.entries(tables)) {
  const marks = new RegExp(`(<!-- ${name} -->\n).*(\n<!-- /${name} -->)`, 's');
  if (!marks.test(text)) throw new Error(`${path} has no <!-- ${name} --> and <!-- /${name} -->`);
  text = text.replace(marks, (_all, begin, end) => `${begin}\n${output}\n${end}`);
}
process.stdout.write(text);
