import { byFirstWord, type CompletedVerb, type CompletedWord } from './words.ts';

/** A script for bash, to be read by `eval`. */
export function bashCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = byFirstWord(verbs);
  const firsts = [...groups.keys(), 'help'].join(' ');
  const seconds = [...groups].flatMap(([first, group]) =>
    group.length > 1
      ? [`    ${first}) words=${list(group.map(({ name }) => name.split(' ')[1] ?? ''))} ;;`]
      : [],
  );
  return `# bash completion for vtr; in ~/.bashrc: eval "$(vtr completion bash)"
_vtr_sessions() { vtr ls --names 2>/dev/null; }
_vtr() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]} at=2 words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${firsts} --help --version" -- "$cur"))
    return
  fi
  case $verb in
${seconds.join('\n')}
  esac
  if [[ -n $words ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
      return
    fi
    verb="$verb \${COMP_WORDS[2]}" at=3
  fi
  case "$verb $prev" in
${verbs.flatMap(valueCases).join('\n')}
  esac
  case $verb in
${verbs.map(verbCase).join('\n')}
  esac
}
complete -F _vtr vtr
`;
}

const list = (words: readonly string[]): string => `"${words.join(' ')}"`;

/** After a flag that takes a value. */
function valueCases({ name, flags }: CompletedVerb): string[] {
  return flags.flatMap(({ name: flag, short, value }) => {
    if (value === null) return [];
    const patterns = [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    const heads = patterns.map((each) => `"${name} ${each}"`).join('|');
    return [`    ${heads}) ${reply(value)} return ;;`];
  });
}

function verbCase({ name, flags, args }: CompletedVerb): string {
  const words = flags.map((flag) => `--${flag.name}`).concat('--help');
  const places = args.map((completes, index) => {
    const place = index === args.length - 1 && index > 0 ? '*' : `$((at+${index}))`;
    return `      ${place}) ${reply(completes)} ;;`;
  });
  return `    "${name}")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W ${list(words)} -- "$cur")); return; fi
      case $COMP_CWORD in
${places.join('\n')}
      esac ;;`;
}

function reply(completes: CompletedWord): string {
  if (completes === null || completes.length === 0) return ':;';
  if (completes === 'session') {
    return 'COMPREPLY=($(compgen -W "$(_vtr_sessions)" -- "$cur"));';
  }
  if (completes === 'file') return 'COMPREPLY=($(compgen -f -- "$cur"));';
  return `COMPREPLY=($(compgen -W ${list(completes as readonly string[])} -- "$cur"));`;
}
