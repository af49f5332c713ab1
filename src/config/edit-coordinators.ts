import { realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { VtrError } from '#model';
import { clientConfigFile, parseClientConfig } from './client-config.ts';
import { readConfigFile } from './config-file.ts';
import { makeDirectory } from './directories.ts';
import type { UserEnvironment } from './user-environment.ts';

const header = /^\s*\[\[\s*coordinators\s*\]\]/;
const anyHeader = /^\s*\[/;
const comment = /^\s*#/;

/**
 * Adds a path or glob to `config.toml`; everything else in it stays as it is written.
 *
 * @returns false where it was there already
 * @throws VtrError INVALID_ARGUMENT
 */
export async function addCoordinator(user: UserEnvironment, path: string): Promise<boolean> {
  const file = clientConfigFile(user);
  const source = readConfigFile(file) ?? '';
  const { coordinators } = await parseClientConfig(source, file);
  if (coordinators.includes(path)) return false;
  const table = `[[coordinators]]\npath = ${JSON.stringify(path)}\n`;
  const before = source.trimEnd();
  await save(file, before === '' ? table : `${before}\n\n${table}`, [...coordinators, path]);
  return true;
}

/**
 * Takes a path or glob out of `config.toml`, but for the comments around it.
 *
 * @returns false where it is not there
 * @throws VtrError INVALID_ARGUMENT
 */
export async function removeCoordinator(user: UserEnvironment, path: string): Promise<boolean> {
  const file = clientConfigFile(user);
  const source = readConfigFile(file) ?? '';
  const { coordinators } = await parseClientConfig(source, file);
  if (!coordinators.includes(path)) return false;
  const left = coordinators.filter((each) => each !== path);
  await save(file, await withoutTables(source, file, path), left);
  return true;
}

/** The text without the tables whose path is `path`. */
async function withoutTables(source: string, file: string, path: string): Promise<string> {
  const kept: string[] = [];
  const lines = source.split('\n');
  for (let start = 0; start < lines.length; ) {
    const line = lines[start] ?? '';
    if (!header.test(line)) {
      kept.push(line);
      start += 1;
      continue;
    }
    const following = lines.findIndex((each, index) => index > start && anyHeader.test(each));
    const end = following === -1 ? lines.length : following;
    const table = lines.slice(start, end);
    const { coordinators } = await parseClientConfig(table.join('\n'), file);
    kept.push(...(coordinators.includes(path) ? remarksOf(table) : table));
    start = end;
  }
  return kept.join('\n');
}

/** What stays of a table that goes: its comments, and no more than one blank line after them. */
function remarksOf(table: readonly string[]): string[] {
  const remarks = table.filter((line) => comment.test(line));
  return remarks.length > 0 && table.at(-1) === '' ? [...remarks, ''] : remarks;
}

/** Writes the text in one step, once it is known to say what it should. */
async function save(file: string, text: string, expected: readonly string[]): Promise<void> {
  const said = await parseClientConfig(text, file).catch(() => null);
  if (said?.coordinators.join('\0') !== expected.join('\0')) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${file} writes its coordinators in another way than [[coordinators]]; edit it by hand`,
    );
  }
  try {
    makeDirectory(dirname(file));
    const target = realPath(file);
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError('INVALID_ARGUMENT', `${file} cannot be written: ${code}`, { cause: error });
  }
}

/** The file itself, where a link leads to it, so that the link stays one. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
