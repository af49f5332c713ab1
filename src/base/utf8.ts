// Part of every JavaScript runtime, if not of the language library that the pure rooms compile with.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 (RFC 3629) of `text`. A surrogate without its partner becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text that UTF-8 bytes say. U+FFFD stands where they are ill-formed. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
