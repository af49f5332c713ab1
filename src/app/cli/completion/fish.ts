import { byFirstWord, type CompletedVerb, type CompletedWord, quoted } from './words.ts';

/** A script for fish, to be read by `source`. */
export function fishCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = [...byFirstWord(verbs)];
  const lines = groups.flatMap(([first, group]) => {
    const isGroup = group.length > 1;
    const about = isGroup ? `verbs of ${first}` : (group[0]?.summary ?? '');
    const head = `complete -c vtr -f -n __fish_use_subcommand -a ${first} -d ${quoted(about)}`;
    return [head, ...group.flatMap((verb) => verbLines(verb, isGroup))];
  });
  return `# fish completion for vtr; in ~/.config/fish/config.fish: vtr completion fish | source
function __vtr_sessions; vtr ls --names 2>/dev/null; end
${lines.join('\n')}
`;
}

function verbLines(verb: CompletedVerb, isInGroup: boolean): string[] {
  const [first = '', second = ''] = verb.name.split(' ');
  const seen = `__fish_seen_subcommand_from ${first}`;
  const condition = isInGroup ? `${seen}; and __fish_seen_subcommand_from ${second}` : seen;
  const start = `complete -c vtr -n ${quoted(condition)}`;
  return [
    ...(isInGroup
      ? [`complete -c vtr -f -n ${quoted(seen)} -a ${second} -d ${quoted(verb.summary)}`]
      : []),
    ...verb.flags.map(({ name, short, about, value }) => {
      const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`;
      return `${start} ${names}${value === null ? '' : ` -r${source(value)}`} -d ${quoted(about)}`;
    }),
    ...verb.args.map((completes) =>
      completes === 'file' ? `${start} -F` : `${start} -f${source(completes)}`,
    ),
  ];
}

function source(completes: CompletedWord): string {
  if (completes === null || completes.length === 0) return '';
  if (completes === 'session') return " -a '(__vtr_sessions)'";
  if (completes === 'file') return ' -F';
  return ` -a ${quoted((completes as readonly string[]).join(' '))}`;
}
