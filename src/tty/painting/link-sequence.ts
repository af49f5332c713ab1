/**
 * Returns the sequence that begins a hyperlink, or ends one (OSC 8). The id depends only on the URI,
 * so that cells painted at different times are one link.
 */
export function linkSequence(uri: string | null): string {
  return uri === null ? '\x1b]8;;\x1b\\' : `\x1b]8;id=${idOf(uri)};${uri}\x1b\\`;
}

function idOf(uri: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uri.length; at++) hash = Math.imul(hash ^ uri.charCodeAt(at), 0x01000193);
  return `v${(hash >>> 0).toString(36)}`;
}
