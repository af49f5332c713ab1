import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const file = join(repositoryRoot, 'docs/performance.md');

const head = `# Performance

Measured by \`npm run bench -- --write\`. Each section states the date, the machine and the command that repeats
it. Sections can be from different days; all figures of a section are from the same run. Ratios are more
reliable than absolute figures: rounds of all contestants are interleaved, so other load affects them equally.
`;

/** Replaces sections of docs/performance.md and keeps the others. */
export function writeSections(sections: ReadonlyMap<string, string>): void {
  const old = existsSync(file) ? readFileSync(file, 'utf8') : head;
  let text = old;
  for (const [name, section] of sections) text = withSection(text, name, section);
  writeFileSync(file, text);
}

/** Replaces the text between the two comments that name a section, or appends the section. */
function withSection(text: string, name: string, section: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const block = `${begin}\n\n${section}\n\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < 0) return `${text.trimEnd()}\n\n${block}\n`;
  return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
}
