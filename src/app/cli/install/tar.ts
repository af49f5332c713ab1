/** A file of an archive. */
export interface ArchivedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const block = 512;
const nameBytes = 100;
const prefixBytes = 155;

/**
 * Returns an archive in the "ustar interchange format" (POSIX.1-2017, pax), which every tar reads. It does not use
 * the tar of this machine, because that of macOS adds files of its own.
 *
 * @throws RangeError for a path that the format cannot hold
 */
export function tarOf(files: readonly ArchivedFile[]): Buffer {
  const mtimeS = Math.floor(Date.now() / 1000);
  const parts = files.flatMap((file) => {
    const { length } = file.bytes;
    return [headerOf(file, mtimeS), file.bytes, Buffer.alloc((block - (length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function headerOf({ path, bytes, isExecutable }: ArchivedFile, mtimeS: number): Buffer {
  const { prefix, name } = splitPath(path);
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100);
  // Root's, which tar ignores unless root unpacks it.
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes.length, 11), 124);
  header.write(octal(mtimeS, 11), 136);
  // The checksum is made with spaces in its place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345);
  const sum = header.reduce((total, each) => total + each, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

/** Splits a path at a `/` so that both parts have room. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  const bytes = (text: string) => Buffer.byteLength(text);
  if (bytes(path) <= nameBytes) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (bytes(name) <= nameBytes && bytes(prefix) <= prefixBytes) return { prefix, name };
  }
  throw new RangeError(`the path is too long for an archive: ${path}`);
}
