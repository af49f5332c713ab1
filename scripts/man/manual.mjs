import { allVerbs, termcpCommand, usageOf, verbGroups } from '#app/cli';
import { version } from '#model';
import { overviewPage, pageName, verbPage } from './man-page.mjs';

/** The names of the pages of the manual, without the section. */
export const pageNames = async () => [
  'vtr',
  termcpCommand.name,
  ...(await allVerbs()).map(({ name }) => pageName(name)),
];

/**
 * The pages of the manual by their names.
 *
 * @param {{ date: string }} release the day that the pages show, such as 2026-12-01
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function manual({ date }) {
  const release = { version, date };
  const groups = await verbGroups();
  const pages = new Map([
    ['vtr', overviewPage(groups, release)],
    [termcpCommand.name, verbPage(termcpCommand, usageOf(termcpCommand), [], release)],
  ]);
  for (const [, group] of groups) {
    for (const verb of group) {
      const related = group.filter((other) => other !== verb).map(({ name }) => pageName(name));
      pages.set(pageName(verb.name), verbPage(verb, usageOf(verb), related, release));
    }
  }
  return pages;
}
