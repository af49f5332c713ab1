import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.mjs';

/** The fenced blocks of a document, as `LANGUAGE\nTEXT` or `LANGUAGE no-run\nTEXT`. @param document relative to the repository */
export const fencedBlocks = (document: string): string[] =>
  [
    ...readFileSync(join(root, document), 'utf8').matchAll(/^```(\w+(?: no-run)?\n.*?)^```$/gms),
  ].map(([, block = '']) => block);

/** Returns the targets of the links and pictures in a text of Markdown that are files, without the fragment. */
export function linksIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}
