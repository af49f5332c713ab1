import type { Context } from '../context.ts';

/** What programs say of a flag that they do not have. */
const refusal =
  /unrecogni[sz]ed|unknown|invalid|illegal|unexpected|unsupported|ambiguous|no such|not (?:a |an )?(?:defined|valid|recogni[sz]ed|supported|allowed)/i;

/** No other program is known to have these. */
const onlyOfVtr = new Set(['input-id', 'no-asks', 'no-query', 'prompt-pattern']);

/** The output that is searched is the last of it, in UTF-16 code units. */
export const refusalLength = 4_096;

/**
 * Tells which flags stand after `--` that were most likely meant for vtr. Most names of vtr's flags are those of other
 * programs too (`kubectl wait --timeout`, `docker run --detach`), so a name alone does not prove it: the program must have
 * failed, and have refused the flag by its name.
 *
 * @param verb the words of the verb, for the message
 * @param flags the names of its flags
 * @param rest the words after `--`
 * @param output the last output of a program that failed; null if it did not
 */
export function tellMisplacedFlags(
  context: Context,
  verb: string,
  flags: readonly string[],
  rest: readonly string[],
  output: string | null,
): void {
  const end = output?.slice(-refusalLength) ?? '';
  const refusals = end.split('\n').filter((line) => refusal.test(line));
  const isRefused = (name: string) => {
    const asFlag = new RegExp(`(?<![\\w-])-{0,2}${name}(?![\\w-])`);
    return refusals.some((line) => asFlag.test(line));
  };
  const own = rest.slice(1).flatMap((word) => {
    const name = /^--([a-z][a-z-]*)(?:=|$)/.exec(word)?.[1];
    return name !== undefined && flags.includes(name) ? [name] : [];
  });
  const meant = new Set(own.filter((name) => onlyOfVtr.has(name) || isRefused(name)));
  if (meant.size === 0) return;
  const names = [...meant].map((name) => `--${name}`).join(', ');
  context.say(`warning: ${names} after -- went to ${rest[0]}; flags of ${verb} stand before --`);
}
