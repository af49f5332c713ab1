import { useMemo } from 'preact/hooks';
import { qrPath, unreachedHint } from './qr-path.ts';

/**
 * A link as a QR code, black on white in all themes, with a hint where another device does not reach the link.
 *
 * @param label what the code is, for screen readers
 */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, side } = useMemo(() => qrPath(text), [text]);
  const hint = unreachedHint(new URL(text));
  return (
    <>
      <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
        <rect width={side} height={side} fill="#fff" />
        <path d={path} fill="#000" shape-rendering="crispEdges" />
      </svg>
      {hint !== null && <p class="soft">{hint}</p>}
    </>
  );
}
