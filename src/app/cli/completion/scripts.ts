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

/** Prints the branches of the repository of the current directory. bash expands words, so it gets only plain names. */
const branches = "git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null";

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
_vtr_branches() { _vtr_words "$(${branches} | grep -x '[A-Za-z0-9_./@#%+=,-]*')"; }
_vtr_viewers() {
  # Names may have blanks, and signs that bash would expand.
  local name quoted
  while IFS= read -r name; do
    printf -v quoted %q "$name"
    [[ $quoted == "\${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$quoted")
  done < <(vtr info "$1" --viewers 2>/dev/null)
}
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
  local at=2 place=0 first= words= valued= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then _vtr_words "${firsts} --help --version"; return; fi
  case $verb in
${seconds.join('\n')}
  esac
  if [[ -n $words ]]; then
    if ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then
      case $verb in
${groups.flatMap(firstArgumentCase).join('\n')}
      esac
      _vtr_words "$words"; return
    fi
    if [[ " $words " == *" \${COMP_WORDS[2]} "* ]]; then verb="$verb \${COMP_WORDS[2]}" at=3; fi
  fi
  case $verb in
${verbs.flatMap(valuedCase).join('\n')}
  esac
  for ((i = at; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) ${programCase(verbs)}return ;;
      -*) [[ $valued == *" \${COMP_WORDS[i]} "* && \${COMP_WORDS[i+1]} != -* ]] && ((i++)) ;;
      *) ((place++)) || first=\${COMP_WORDS[i]} ;;
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

/** After the first word of a group come its second words, or the first argument of the verb that is this word alone. */
function firstArgumentCase([first, group]: readonly [string, readonly CompletedVerb[]]): string[] {
  const from = ownVerbOf(group)?.args[0]?.from ?? [];
  if (from === 'session') return [`        ${first}) words+=" $(vtr ls --names 2>/dev/null)" ;;`];
  if (typeof from === 'string' || from.length === 0) return [];
  return [`        ${first}) words+=" ${from.join(' ')}" ;;`];
}

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
  if (from === 'branch') return '_vtr_branches';
  if (from === 'viewer') return '_vtr_viewers "$first"';
  return from.length === 0 ? ':' : `_vtr_words ${list(from)}`;
}

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
function __vtr_branches; ${branches}; end
# Prints who views the session that is the first argument. The arguments of this function are the flags that take a value.
function __vtr_viewers
    set -l skip 0
    for word in (commandline -opc)[3..]
        if test $skip = 1
            set skip 0
        else if contains -- $word $argv
            set skip 1
        else if not string match -q -- '-*' $word
            vtr info $word --viewers 2>/dev/null
            return
        end
    end
end
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
  const isSubcommand = `__fish_seen_subcommand_from ${first}`;
  const place = `(__vtr_place ${flagsWithValue(verb).join(' ')})`;
  const alone =
    others.length === 0
      ? isSubcommand
      : `${isSubcommand}; and not __fish_seen_subcommand_from ${others.join(' ')}`;
  const condition = isInGroup
    ? `${isSubcommand}; and __fish_seen_subcommand_from ${second}`
    : alone;
  const start = (more: string) => `complete -c vtr -n ${shellQuoted(`${condition}; and ${more}`)}`;
  const ofVerb = start(`test ${place} -ge 0`);
  const isFirst = shellQuoted(`${isSubcommand}; and test ${place} -eq 1`);
  return [
    ...(isInGroup
      ? [`complete -c vtr -f -n ${isFirst} -a ${second} -d ${shellQuoted(verb.summary)}`]
      : []),
    `${ofVerb} -f`,
    ...verb.flags.map(({ name, short, about, value, bare }) => {
      const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`;
      const from = value === null || bare ? '' : ` -r${source(value, verb)}`;
      return `${ofVerb} ${names}${from} -d ${shellQuoted(about)}`;
    }),
    ...verb.args.map(({ from, many }, index) => {
      const before = index + (isInGroup ? 2 : 1);
      return `${start(`test ${place} -${many ? 'ge' : 'eq'} ${before}`)}${source(from, verb)}`;
    }),
    ...(verb.acceptsProgram ? [`${start(`test ${place} -lt 0`)} -F`] : []),
  ];
}

function source(from: CompletedWord, verb: CompletedVerb): string {
  if (from === 'viewer') return ` -a '(__vtr_viewers ${flagsWithValue(verb).join(' ')})'`;
  if (from === 'session') return " -a '(__vtr_sessions)'";
  if (from === 'file') return ' -F';
  if (from === 'branch') return " -a '(__vtr_branches)'";
  return from.length === 0 ? '' : ` -a ${shellQuoted(from.join(' '))}`;
}

/** Returns a script for zsh, for use with `eval` after `compinit`. */
export function zshCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = [...byFirstWord(verbs)];
  const firsts = groups.map(([first, group]) =>
    described(first, hasSeconds(group) ? `verbs of ${first}` : (group[0]?.summary ?? '')),
  );
  return `#compdef vtr
# zsh completion for vtr; in ~/.zshrc, after compinit: eval "$(vtr completion zsh)"
_vtr_sessions() { local -a names; names=(\${(f)"$(vtr ls --names 2>/dev/null)"}); compadd -a names }
_vtr_branches() { local -a names; names=(\${(f)"$(${branches})"}); compadd -a names }
# Adds who views the session that is the first argument. The arguments of this function are the flags that take a value.
_vtr_viewers() {
  local -a names
  local -i at
  for ((at = 2; at < CURRENT; at++)); do
    if ((argv[(Ie)\${words[at]}])); then ((at++)); continue; fi
    [[ \${words[at]} == -* ]] && continue
    names=(\${(f)"$(vtr info \${words[at]} --viewers 2>/dev/null)"})
    compadd -a names
    return
  done
}
_vtr() {
  local verb=\${words[2]}
  if ((CURRENT == 2)); then
    local -a verbs
    verbs=(${firsts.join(' ')})
    _describe verb verbs
    return
  fi
  shift words; ((CURRENT--))
  case $verb in
${groups.map(([first, group]) => groupCase(first, group)).join('\n')}
  esac
}
compdef _vtr vtr
`;
}

const described = (word: string, about: string): string =>
  shellQuoted(`${word}:${about.replaceAll(':', '\\:')}`);

function groupCase(first: string, group: readonly CompletedVerb[]): string {
  const [only] = group;
  if (only !== undefined && !hasSeconds(group)) return `    ${first}) ${argumentsCall(only)} ;;`;
  const own = ownVerbOf(group);
  const subverbs = group.filter((verb) => verb !== own);
  const seconds = secondsOf(subverbs);
  const names = subverbs.map(({ summary }, at) => described(seconds[at] ?? '', summary));
  const cases = subverbs.map((verb, at) => `      ${seconds[at]}) ${argumentsCall(verb)} ;;`);
  const isOwn = `(($seconds[(I)\${(b)words[2]}:*] == 0 && CURRENT > 2)) || [[ \${words[2]} == -* ]]`;
  const ofOwn =
    own === undefined
      ? ''
      : `
      if ${isOwn}; then ${argumentsCall(own)}; return; fi`;
  const firstOfOwn = own?.args[0]?.from ?? [];
  const orFirst = own === undefined || firstOfOwn.length === 0 ? '' : `; ${added(firstOfOwn, own)}`;
  return `    ${first})
      local -a seconds
      seconds=(${names.join(' ')})${ofOwn}
      if ((CURRENT == 2)); then _describe verb seconds${orFirst}; return; fi
      verb=\${words[2]}
      shift words; ((CURRENT--))
      case $verb in
${cases.join('\n')}
      esac ;;`;
}

/** Adds what a word may be. */
function added(from: CompletedWord, verb: CompletedVerb): string {
  if (typeof from !== 'string') return `compadd -- ${from.join(' ')}`;
  return action(from, verb);
}

/** Flags end at `--`; a program's command line follows it if the verb accepts one. */
function argumentsCall(verb: CompletedVerb): string {
  const { flags, args, acceptsProgram } = verb;
  const specs = flags.flatMap(({ name, short, about, value, bare }) => {
    const source = value === null ? '' : bare ? optionalValue : `:value:${action(value, verb)}`;
    const rest = `[${about.replaceAll(/[[\]:]/g, ' ')}]${source}`;
    return [`--${name}${rest}`, ...(short === undefined ? [] : [`-${short}${rest}`])].map(
      shellQuoted,
    );
  });
  const words = args.map(({ from, many }, index) =>
    shellQuoted(
      `${many ? '*' : index + 1}:word:${from.length === 0 ? anyWord : action(from, verb)}`,
    ),
  );
  const program = acceptsProgram ? [shellQuoted('*:::program:_normal')] : [];
  return ['_arguments -S', ...specs, ...words, ...program].join(' ');
}

/** A word that begins with `-` is the next flag. */
const notFlag = '_guard "(|[^-]*)"';
const optionalValue = `::value:${notFlag} value`;
const anyWord = `${notFlag} word`;

function action(from: CompletedWord, verb: CompletedVerb): string {
  // After a blank, zsh gives the function these arguments alone.
  if (from === 'viewer') return ` _vtr_viewers ${flagsWithValue(verb).join(' ')}`;
  if (from === 'session') return '_vtr_sessions';
  if (from === 'file') return '_files';
  if (from === 'branch') return '_vtr_branches';
  return from.length === 0 ? ' ' : `(${from.join(' ')})`;
}
