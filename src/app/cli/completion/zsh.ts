import { shellQuoted } from '#base';
import {
  byFirstWord,
  type CompletedVerb,
  type CompletedWord,
  hasSeconds,
  ownVerbOf,
  secondsOf,
} from './words.ts';

/** Returns a script for zsh, for use with `eval` after `compinit`. */
export function zshCompletion(verbs: readonly CompletedVerb[]): string {
  const groups = [...byFirstWord(verbs)];
  const firsts = groups.map(([first, group]) =>
    described(first, hasSeconds(group) ? `verbs of ${first}` : (group[0]?.summary ?? '')),
  );
  return `#compdef vtr
# zsh completion for vtr; in ~/.zshrc, after compinit: eval "$(vtr completion zsh)"
_vtr_sessions() { local -a names; names=(\${(f)"$(vtr ls --names 2>/dev/null)"}); compadd -a names }
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
  const flagsOfOwn =
    own === undefined
      ? ''
      : `
      if [[ \${words[2]} == -* ]]; then ${argumentsCall(own)}; return; fi`;
  return `    ${first})${flagsOfOwn}
      if ((CURRENT == 2)); then
        local -a seconds
        seconds=(${names.join(' ')})
        _describe verb seconds
        return
      fi
      verb=\${words[2]}
      shift words; ((CURRENT--))
      case $verb in
${cases.join('\n')}
      esac ;;`;
}

/** Flags end at `--`; a program's command line follows it if the verb accepts one. */
function argumentsCall({ flags, args, acceptsProgram }: CompletedVerb): string {
  const specs = flags.flatMap(({ name, short, about, value, bare }) => {
    const source = value === null ? '' : bare ? optionalValue : `:value:${action(value)}`;
    const rest = `[${about.replaceAll(/[[\]:]/g, ' ')}]${source}`;
    return [`--${name}${rest}`, ...(short === undefined ? [] : [`-${short}${rest}`])].map(
      shellQuoted,
    );
  });
  const words = args.map(({ from, many }, index) =>
    shellQuoted(`${many ? '*' : index + 1}:word:${action(from)}`),
  );
  const program = acceptsProgram ? [shellQuoted('*:::program:_normal')] : [];
  return ['_arguments -S', ...specs, ...words, ...program].join(' ');
}

/** A word that begins with `-` is the next flag. */
const optionalValue = '::value:_guard "(|[^-]*)" value';

function action(from: CompletedWord): string {
  if (from === 'session') return '_vtr_sessions';
  if (from === 'file') return '_files';
  return from.length === 0 ? ' ' : `(${from.join(' ')})`;
}
