import { textHash } from '#base';

/**
 * Returns the sequence that begins a hyperlink, or ends one (OSC 8). The id depends only on the URI,
 * so that cells painted at different times are one link.
 */
export const linkSequence = (uri: string | null): string =>
  uri === null ? '\x1b]8;;\x1b\\' : `\x1b]8;id=v${textHash(uri).toString(36)};${uri}\x1b\\`;
