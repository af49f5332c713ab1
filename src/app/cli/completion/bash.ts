import {
  byFirstWord,
  type CompletedVerb,
  type CompletedWord,
  flagsWithValue,
  hasSeconds,
  secondsOf,
} from './words.ts';

/** Returns a script for bash, for use with `eval`. */
export function bashCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = [...byFirstWord(verbs)];
  const firsts = groups.map(([first]) => first).join(' ');
  const seconds = groups.flatMap(([first, group]) =>
    hasSeconds(group) ? [`    ${first}) words=${list(secondsOf(group))} ;;`] : [],
  );
  return `# bash completion for vtr; in ~/.bashrc: eval "$(vtr completion bash)"
_vtr_words() { COMPREPLY=($(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}")); }
_vtr_sessions() { _vtr_words "$(vtr ls --names 2>/dev/null)"; }
_vtr_files() {
  # bash quotes the names that it completes itself.
  compopt -o default 2>/dev/null && return
  COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_vtr_program() {
  if (($1 == COMP_CWORD)); then COMPREPLY=($(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")); else _vtr_files; fi
}
_vtr() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]}
  local at=2 place=0 words= valued= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then _vtr_words "${firsts} --help --version"; return; fi
  case $verb in
${seconds.join('\n')}
  esac
  if [[ -n $words ]]; then
    if ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then _vtr_words "$words"; return; fi
    if [[ " $words " == *" \${COMP_WORDS[2]} "* ]]; then verb="$verb \${COMP_WORDS[2]}" at=3; fi
  fi
  case $verb in
${verbs.flatMap(valuedCase).join('\n')}
  esac
  for ((i = at; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) ${programCase(verbs)}return ;;
      -*) [[ $valued == *" \${COMP_WORDS[i]} "* && \${COMP_WORDS[i+1]} != -* ]] && ((i++)) ;;
      *) ((place++)) ;;
    esac
  done
  if [[ $cur != -* ]]; then
    case "$verb $prev" in
${verbs.flatMap(valueCases).join('\n')}
    esac
  fi
  case $verb in
${verbs.map(verbCase).join('\n')}
  esac
}
complete -F _vtr vtr
`;
}

const list = (words: readonly string[]): string => `"${words.join(' ')}"`;

function valuedCase(verb: CompletedVerb): string[] {
  const valued = flagsWithValue(verb);
  return valued.length === 0 ? [] : [`    "${verb.name}") valued=" ${valued.join(' ')} " ;;`];
}

function programCase(verbs: readonly CompletedVerb[]): string {
  const names = verbs.filter(({ acceptsProgram }) => acceptsProgram).map(({ name }) => `"${name}"`);
  return `case $verb in ${names.join('|')}) _vtr_program $((i+1)) ;; esac; `;
}

/** The completions after a flag that takes a value. */
function valueCases({ name, flags }: CompletedVerb): string[] {
  return flags.flatMap(({ name: flag, short, value }) => {
    if (value === null) return [];
    const patterns = [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    const heads = patterns.map((each) => `"${name} ${each}"`).join('|');
    return [`      ${heads}) ${reply(value)}; return ;;`];
  });
}

function verbCase({ name, flags, args }: CompletedVerb): string {
  const words = flags.map((flag) => `--${flag.name}`).concat('--help');
  const places = args.map(({ from, many }, index) => {
    const place = many ? '*' : String(index);
    return `      ${place}) ${reply(from)} ;;`;
  });
  return `    "${name}")
      if [[ $cur == -* ]]; then _vtr_words ${list(words)}; return; fi
      case $place in
${places.join('\n')}
      esac ;;`;
}

function reply(from: CompletedWord): string {
  if (from === 'session') return '_vtr_sessions';
  if (from === 'file') return '_vtr_files';
  return from.length === 0 ? ':' : `_vtr_words ${list(from)}`;
}
