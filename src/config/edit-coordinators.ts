import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellQuoted } from '#base';
import { ioError, isAddress, VtrError } from '#model';
import {
  type ConfiguredCoordinator,
  clientConfigFile,
  parseClientConfig,
} from './client-config.ts';
import { readConfigFile } from './config-file.ts';
import type { UserEnvironment } from './user-environment.ts';
import { makeDirectory, overwriteFile } from './write-file.ts';

const header = /^\s*\[\[\s*coordinators\s*\]\]/;
const anyHeader = /^\s*\[/;
const comment = /^\s*#/;

/**
 * Adds a path or glob, or an address, to `config.toml`. The rest of the file is unchanged.
 *
 * @returns false if it is in the file already
 * @throws VtrError INVALID_ARGUMENT, IO_ERROR
 */
export async function addCoordinator(
  user: UserEnvironment,
  added: ConfiguredCoordinator,
): Promise<boolean> {
  const { place, name } = added;
  const file = clientConfigFile(user);
  const source = readConfigFile(file) ?? '';
  const { coordinators } = await parseClientConfig(source, file);
  const same = coordinators.find((each) => each.place === place);
  if (same !== undefined && (name === undefined || name === same.name)) return false;
  // If a place had two tables, only the first would have an effect.
  if (same !== undefined) {
    const as = same.name === undefined ? 'without a name' : `as ${same.name}`;
    const message = `${file} has ${place} already, ${as}; remove that first: vtr config rm ${shellQuoted(place)}`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const other = coordinators.find((each) => name !== undefined && each.name === name);
  if (other !== undefined) {
    const message = `${file} has a coordinator ${name} already, ${other.place}; choose another name`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const lines = [
    '[[coordinators]]',
    ...(name === undefined ? [] : [`name = ${JSON.stringify(name)}`]),
    `${isAddress(place) ? 'address' : 'path'} = ${JSON.stringify(place)}`,
  ];
  const table = `${lines.join('\n')}\n`;
  const before = source.trimEnd();
  await save(file, before === '' ? table : `${before}\n\n${table}`, [...coordinators, added]);
  return true;
}

/**
 * Removes a path or glob, an address, or the coordinator of a name from `config.toml`. Comments around it are kept.
 *
 * @returns false if it is not in the file
 * @throws VtrError INVALID_ARGUMENT, IO_ERROR
 */
export async function removeCoordinator(user: UserEnvironment, text: string): Promise<boolean> {
  const file = clientConfigFile(user);
  const source = readConfigFile(file) ?? '';
  const { coordinators } = await parseClientConfig(source, file);
  if (!coordinators.some((each) => isMeant(each, text))) return false;
  const left = coordinators.filter((each) => !isMeant(each, text));
  await save(file, await withoutTables(source, file, text), left);
  return true;
}

const isMeant = ({ place, name }: ConfiguredCoordinator, text: string): boolean =>
  place === text || name === text;

/** Returns the text without the tables of the coordinator that the user named. */
async function withoutTables(source: string, file: string, text: string): Promise<string> {
  const rest: string[] = [];
  const lines = source.split('\n');
  for (let start = 0; start < lines.length; ) {
    const line = lines[start] ?? '';
    if (!header.test(line)) {
      rest.push(line);
      start += 1;
      continue;
    }
    const following = lines.findIndex((each, index) => index > start && anyHeader.test(each));
    const end = following === -1 ? lines.length : following;
    const table = lines.slice(start, end);
    const { coordinators } = await parseClientConfig(table.join('\n'), file);
    rest.push(...(coordinators.some((each) => isMeant(each, text)) ? commentsOf(table) : table));
    start = end;
  }
  return rest.join('\n');
}

/** Returns the comments of a removed table, and at most one blank line after them. */
function commentsOf(table: readonly string[]): string[] {
  const comments = table.filter((line) => comment.test(line));
  return comments.length > 0 && table.at(-1) === '' ? [...comments, ''] : comments;
}

/** Replaces the file atomically, with its permissions, after a check that the new text has the expected coordinators. */
async function save(
  file: string,
  text: string,
  expected: readonly ConfiguredCoordinator[],
): Promise<void> {
  const written = await parseClientConfig(text, file).catch(() => null);
  if (JSON.stringify(written?.coordinators) !== JSON.stringify(expected)) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${file} does not list its coordinators as [[coordinators]]; edit it by hand`,
    );
  }
  try {
    makeDirectory(dirname(file));
    overwriteFile(realPath(file), text, { mode: 0o600 });
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/** Resolves symbolic links, so that the file is replaced and not the link. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
