import { encode } from 'uqr';

/** The light modules around a code that readers need (ISO/IEC 18004, 9.1). */
const quietZone = 4;

/** Returns the dark modules of a text's QR code as a path, in units of modules, and the side of the picture. */
export function qrPath(text: string): { readonly path: string; readonly side: number } {
  const { data, size: side } = encode(text, { ecc: 'M', border: quietZone });
  const runs = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark && !row[x - 1] ? runOf(row, x, y) : '')),
  );
  return { path: runs.join(''), side };
}

/** Returns the path of the dark modules from a place on. */
function runOf(row: readonly boolean[], x: number, y: number): string {
  const end = row.indexOf(false, x);
  return `M${x} ${y}h${(end === -1 ? row.length : end) - x}v1h${x - (end === -1 ? row.length : end)}z`;
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Says that another device does not reach the address of the page; null if it may. */
export function unreachedHint({ hostname }: Pick<Location, 'hostname'> = location): string | null {
  if (!loopback.has(hostname)) return null;
  return `Another device does not reach ${hostname}, which is this machine. Serve the page with vtr web --behind-proxy, or with --host and a certificate, or forward the port by ssh.`;
}
