import { shellQuoted } from '#base';
import {
  byFirstWord,
  type CompletedVerb,
  type CompletedWord,
  flagsWithValue,
  hasSeconds,
  ownVerbOf,
  secondsOf,
} from './words.ts';

/** Returns a script for fish, for use with `source`. */
export function fishCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = [...byFirstWord(verbs)];
  const lines = groups.flatMap(([first, group]) => {
    const isGroup = hasSeconds(group);
    const about = isGroup ? `verbs of ${first}` : (group[0]?.summary ?? '');
    const head = `complete -c vtr -f -n __fish_use_subcommand -a ${first} -d ${shellQuoted(about)}`;
    const own = ownVerbOf(group);
    const others = own === undefined ? [] : secondsOf(group);
    return [
      head,
      ...group.flatMap((verb) =>
        verbLines(verb, isGroup && verb !== own, verb === own ? others : []),
      ),
    ];
  });
  return `# fish completion for vtr; in ~/.config/fish/config.fish: vtr completion fish | source
function __vtr_sessions; vtr ls --names 2>/dev/null; end
# Prints the number of arguments before the current one, including the verb; -1 after --.
# The arguments of this function are the flags that take a value.
function __vtr_place
    set -l place 0
    set -l skip 0
    for word in (commandline -opc)[2..]
        set -l is_value $skip
        set skip 0
        if test "$word" = --
            set place -1
            break
        else if contains -- $word $argv
            set skip 1
        else if test $is_value = 0; and not string match -q -- '-*' $word
            set place (math $place + 1)
        end
    end
    echo $place
end
${lines.join('\n')}
`;
}

/** @param others the second words of the other verbs of the group, if this one has none itself */
function verbLines(verb: CompletedVerb, isInGroup: boolean, others: readonly string[]): string[] {
  const [first = '', second = ''] = verb.name.split(' ');
  const seen = `__fish_seen_subcommand_from ${first}`;
  const place = `(__vtr_place ${flagsWithValue(verb).join(' ')})`;
  const alone =
    others.length === 0 ? seen : `${seen}; and not __fish_seen_subcommand_from ${others.join(' ')}`;
  const condition = isInGroup ? `${seen}; and __fish_seen_subcommand_from ${second}` : alone;
  const start = (more: string) => `complete -c vtr -n ${shellQuoted(`${condition}; and ${more}`)}`;
  const ofVerb = start(`test ${place} -ge 0`);
  const isFirst = shellQuoted(`${seen}; and test ${place} -eq 1`);
  return [
    ...(isInGroup
      ? [`complete -c vtr -f -n ${isFirst} -a ${second} -d ${shellQuoted(verb.summary)}`]
      : []),
    `${ofVerb} -f`,
    ...verb.flags.map(({ name, short, about, value, bare }) => {
      const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`;
      const from = value === null || bare ? '' : ` -r${source(value)}`;
      return `${ofVerb} ${names}${from} -d ${shellQuoted(about)}`;
    }),
    ...verb.args.map(({ from, many }, index) => {
      const before = index + (isInGroup ? 2 : 1);
      return `${start(`test ${place} -${many ? 'ge' : 'eq'} ${before}`)}${source(from)}`;
    }),
    ...(verb.acceptsProgram ? [`${start(`test ${place} -lt 0`)} -F`] : []),
  ];
}

function source(from: CompletedWord): string {
  if (from === 'session') return " -a '(__vtr_sessions)'";
  if (from === 'file') return ' -F';
  return from.length === 0 ? '' : ` -a ${shellQuoted(from.join(' '))}`;
}
