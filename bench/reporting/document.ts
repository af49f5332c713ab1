import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const file = join(repositoryRoot, 'docs/performance.md');

const head = `# Performance

What \`npm run bench -- --write\` measured. Each section tells when, on which machine and how to do it
again. Figures of different sections may be from different days; within a section all were taken in
the same run. Ratios are to be trusted more than figures: what a machine has to do beside falls on all
contestants alike, for their rounds are interleaved.
`;

/** Puts sections into docs/performance.md in the place of older ones; the others stay. */
export function writeSections(sections: ReadonlyMap<string, string>): void {
  const old = existsSync(file) ? readFileSync(file, 'utf8') : head;
  let text = old;
  for (const [name, section] of sections) text = withSection(text, name, section);
  writeFileSync(file, text);
}

/** A section stands between two comments that name it. */
function withSection(text: string, name: string, section: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const block = `${begin}\n\n${section}\n\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < 0) return `${text.trimEnd()}\n\n${block}\n`;
  return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
}
