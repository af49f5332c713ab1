import { nearMisses } from '#base';
import { VtrError } from '#model';

/** For words that begin with no verb, and perhaps with the first word of a group of them. */
export function unknownVerb(words: readonly string[], names: readonly string[]): VtrError {
  const [first = '', second] = words;
  const group = names.filter((name) => name.startsWith(`${first} `));
  const isInGroup = group.length > 0 && second !== undefined;
  const given = isInGroup ? `${first} ${second}` : first;
  const near = isInGroup
    ? nearMisses(
        second,
        group.map((name) => name.slice(first.length + 1)),
      ).map((each) => `${first} ${each}`)
    : nearMisses(first, names);
  return new VtrError(
    'INVALID_ARGUMENT',
    `vtr has no verb ${JSON.stringify(given)}; ${hint(near, group)}`,
  );
}

function hint(near: readonly string[], group: readonly string[]): string {
  if (near.length > 0) return `did you mean ${near.map((name) => `vtr ${name}`).join(' or ')}?`;
  if (group.length > 0) return `there are ${group.map((name) => `vtr ${name}`).join(', ')}`;
  return 'vtr --help shows what there is';
}
