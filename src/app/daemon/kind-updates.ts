import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { AgentKind } from '#agents';
import { quoted } from '#base';
import {
  makeDirectory,
  readConfigFile,
  removeFile,
  replaceFile,
  type UserEnvironment,
} from '#config';
import { counted, ioErrors, VtrError } from '#model';
import { filesIn, idOf, newKind, parsed, readAgentKinds, updatesDirectory } from './agent-kinds.ts';

/** A file of a kind that `vtr agents update` takes. */
export interface KindUpdate {
  readonly kind: string;
  /** Of the file that is taken. */
  readonly text: string;
  /** What changes, a line each; none if nothing does. */
  readonly changes: readonly string[];
}

/** A file that may be taken, before it is checked. */
interface Offer {
  /** For messages. */
  readonly file: string;
  readonly text: string;
}

const kindId = /^[a-z0-9][a-z0-9._-]{0,63}$/u;
/** The most kinds that one source has. */
const maxKinds = 200;

/**
 * Reads files of kinds to take in place of those of vtr: a file, those of a directory, or those of a package, in its
 * directory `agents`. A package is a directory, or an archive as `npm pack` makes it. Changes nothing, and unpacks
 * nothing to disk.
 *
 * @throws VtrError INVALID_ARGUMENT if one is wrong, or there is none; IO_ERROR
 */
export async function readKindUpdates(
  user: UserEnvironment,
  version: string,
  source: string,
): Promise<KindUpdate[]> {
  const offers = /\.(?:tgz|tar\.gz)$/u.test(source) ? offersInArchive(source) : offersAt(source);
  if (offers.length === 0) throw invalid(source, 'has no files of kinds (*.toml)');
  if (offers.length > maxKinds) throw invalid(source, `has more than ${maxKinds} files of kinds`);
  const { kinds } = await readAgentKinds(user, version);
  const updates: KindUpdate[] = [];
  for (const { file, text } of offers) {
    if (!kindId.test(idOf(file))) throw invalid(file, 'is no name of a kind: a-z 0-9 . _ -');
    const kind = newKind(idOf(file), await parsed(file, text), file);
    const before = kinds.find((each) => each.kind === kind.kind);
    updates.push({ kind: kind.kind, text, changes: changesOf(before, kind) });
  }
  return updates;
}

const invalid = (file: string, why: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `${file} ${why}; nothing was taken`);

function offersAt(source: string): Offer[] {
  const isDirectory = statSync(source, { throwIfNoEntry: false })?.isDirectory();
  const files = isDirectory
    ? [source, join(source, 'agents')].map(filesIn).find((files) => files.length > 0)
    : [source];
  return (files ?? []).map((file) => {
    const text = readConfigFile(file);
    if (text === null) throw new VtrError('INVALID_ARGUMENT', `${file} does not exist`);
    return { file, text };
  });
}

/** The largest archive, and what it unpacks to, in bytes. */
const maxArchiveBytes = 4 * 1024 * 1024;
const maxUnpackedBytes = 32 * 1024 * 1024;
/** The largest file of a kind, in bytes. */
const maxKindBytes = 1024 * 1024;

/** Reads the files of kinds in an archive, whose first directory is that of the package. */
function offersInArchive(source: string): Offer[] {
  const files = filesInTar(source, unpacked(source));
  const named = (pattern: RegExp) =>
    files.flatMap(({ path, content }) => {
      const inPackage = path.replace(/^[^/]*\//u, '');
      if (!pattern.test(inPackage)) return [];
      const file = join(source, inPackage);
      if (content.length > maxKindBytes) throw invalid(file, `has more than ${maxKindBytes} bytes`);
      return [{ file, text: content.toString('utf8') }];
    });
  const atTop = named(/^[^/]+\.toml$/u);
  const offers = atTop.length > 0 ? atTop : named(/^agents\/[^/]+\.toml$/u);
  const names = offers.map(({ file }) => basename(file));
  const double = names.find((name, at) => names.indexOf(name) !== at);
  if (double !== undefined) throw invalid(source, `has ${double} twice`);
  return offers;
}

function unpacked(source: string): Buffer {
  const stat = statSync(source, { throwIfNoEntry: false });
  if (stat === undefined) throw new VtrError('INVALID_ARGUMENT', `${source} does not exist`);
  if (!stat.isFile()) throw invalid(source, 'is not a regular file');
  if (stat.size > maxArchiveBytes) throw invalid(source, `has more than ${maxArchiveBytes} bytes`);
  const packed = ioErrors(source, 'read', () => readFileSync(source));
  try {
    return gunzipSync(packed, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    const { message } = error as Error;
    throw invalid(source, `cannot be unpacked within ${maxUnpackedBytes} bytes: ${message}`);
  }
}

interface TarFile {
  readonly path: string;
  readonly content: Buffer;
}

const blockBytes = 512;

/**
 * Returns the regular files of an archive in the formats ustar and pax (POSIX.1-2001, pax interchange format).
 *
 * @throws VtrError INVALID_ARGUMENT for links and devices, for paths that lead outside, and for damaged archives
 */
function filesInTar(source: string, tar: Buffer): TarFile[] {
  const files: TarFile[] = [];
  let extended: Readonly<Record<string, string>> = {};
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const header = tar.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    const { path: short, bytes, type } = tarEntry(source, header);
    const size = extended['size'] === undefined ? bytes : Number(extended['size']);
    const begin = at + blockBytes;
    if (!Number.isSafeInteger(size) || begin + size > tar.length)
      throw invalid(source, 'is cut off');
    const content = tar.subarray(begin, begin + size);
    at = begin + Math.ceil(size / blockBytes) * blockBytes;
    if (type === 'g') continue;
    if (type === 'x') {
      extended = paxRecords(content);
      continue;
    }
    const path = extended['path'] ?? short;
    extended = {};
    const leadsOut = path.startsWith('/') || /[\\\0]/u.test(path) || path.split('/').includes('..');
    if (leadsOut) throw invalid(source, `has a path that leads outside: ${quoted(path)}`);
    if (type === '5') continue;
    if (type !== '0') throw invalid(source, `has a link or a device: ${quoted(path)}`);
    files.push({ path, content });
  }
  return files;
}

function tarEntry(source: string, header: Buffer) {
  const field = (from: number, to: number) =>
    header
      .subarray(from, to)
      .toString('utf8')
      .replace(/\0[\s\S]*$/u, '');
  const octal = (from: number, to: number) => {
    const digits = field(from, to).trim();
    return /^[0-7]+$/u.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
  };
  // The checksum is made with blanks in its own place.
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== octal(148, 156)) throw invalid(source, 'is not an archive of tar, or damaged');
  const prefix = field(257, 262) === 'ustar' ? field(345, 500) : '';
  const name = field(0, 100);
  const path = prefix === '' ? name : `${prefix}/${name}`;
  // Archives of before POSIX have no type for regular files.
  return { path, bytes: octal(124, 136), type: field(156, 157) || '0' };
}

/** `27 path=package/agents/a.toml` and a line feed: the length counts itself. */
function paxRecords(content: Buffer): Readonly<Record<string, string>> {
  const records: Record<string, string> = {};
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] =
      /^(\d{1,8}) /u.exec(content.subarray(at, at + 10).toString('latin1')) ?? [];
    const bytes = Number(digits);
    if (bytes <= digits.length) break;
    const record = content.subarray(at + digits.length + 1, at + bytes - 1).toString('utf8');
    const equals = record.indexOf('=');
    if (equals > 0) records[record.slice(0, equals)] = record.slice(equals + 1);
    at += bytes;
  }
  return records;
}

/** Makes updates those that are used. @throws VtrError IO_ERROR */
export function takeKindUpdates(user: UserEnvironment, updates: readonly KindUpdate[]): void {
  const directory = updatesDirectory(user);
  makeDirectory(directory);
  for (const { kind, text: written } of updates) {
    replaceFile(join(directory, `${kind}.toml`), written);
  }
}

/** Removes all updates, and returns their kinds. @throws VtrError IO_ERROR */
export function removeKindUpdates(user: UserEnvironment): string[] {
  const files = filesIn(updatesDirectory(user));
  for (const file of files) removeFile(file);
  return files.map(idOf);
}

/** Returns what differs in a kind, in words. */
function changesOf(before: AgentKind | undefined, after: AgentKind): string[] {
  if (before === undefined) return [`a new kind with ${counted(after.rules.length, 'rule')}`];
  const checked = ({ checkedWith }: AgentKind) => checkedWith.join(', ') || 'nothing';
  const ruleOf = ({ rules }: AgentKind, id: string) => {
    const { file: _, ...rule } = rules.find((each) => each.id === id) ?? {};
    return JSON.stringify(rule);
  };
  const idsOf = ({ rules }: AgentKind) => rules.map(({ id }) => id);
  const added = idsOf(after).filter((id) => !idsOf(before).includes(id));
  const removed = idsOf(before).filter((id) => !idsOf(after).includes(id));
  const changed = idsOf(after).filter(
    (id) => idsOf(before).includes(id) && ruleOf(before, id) !== ruleOf(after, id),
  );
  const othersOf = ({ rules: _r, source: _s, checkedWith: _c, ...others }: AgentKind) => others;
  return [
    ...(checked(before) === checked(after)
      ? []
      : [`checked with ${checked(after)}, before with ${checked(before)}`]),
    ...added.map((id) => `adds rule ${id}`),
    ...changed.map((id) => `changes rule ${id}`),
    ...removed.map((id) => `removes rule ${id}`),
    ...(isDeepStrictEqual(othersOf(before), othersOf(after)) ? [] : ['changes other keys']),
  ];
}
