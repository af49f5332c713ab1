import { shellQuoted } from '#base';

/** The second line of a command that `vtr install` wrote. */
const mark = '# Written by vtr install.';

/** Prints facts about a Node.js; succeeds if it is new enough. The syntax is one that old versions know. */
const nodeFacts = `var p = process, v = p.versions.node.split("."), a = p.argv;
var ok = +v[0] > +a[1] || (+v[0] === +a[1] && +v[1] >= +a[2]);
console.log(JSON.stringify({ version: p.versions.node, path: p.execPath, platform: p.platform, arch: p.arch, isEnough: ok }));
p.exit(ok ? 0 : 1);`;

/** Loads what starts programs, and prints its name. */
const loadBinding = `try { console.log("binding " + require(process.argv[1]).bindingInUse().name); }
catch (error) { console.error(error.message); process.exit(1); }`;

/** Where version managers keep Node.js, below the home directory. A login that runs no profile misses it. */
const nodes = [
  ...['.nvm/versions/node/*/bin', '.volta/bin', '.local/share/mise/shims', '.asdf/shims', 'n/bin'],
  '.local/share/fnm/node-versions/*/installation/bin',
];

export interface ProbeScript {
  /** Extends PATH as for `vtr connect`. */
  readonly userPrograms: string;
  /** Major and minor version of the oldest Node.js that will do. */
  readonly floor: readonly [string, string];
}

/**
 * A script of sh that prints a fact in each line: `home`, `node` (`path` if it is in PATH, else `other`, and
 * JSON; the last one that it tried is the best), `link` (`own` or `other`) if there is a command at the place of
 * ours, `vtr` and `version` of the command that `vtr connect` would run.
 */
export const probeScript = ({ userPrograms, floor }: ProbeScript): string => `
: "\${HOME:?is not set}"
echo "home $HOME"
try() {
  [ -x "$2" ] || return 1
  facts=$("$2" -e ${shellQuoted(nodeFacts)} ${floor.join(' ')} 2>/dev/null)
  enough=$?
  [ -n "$facts" ] && echo "node $1 $facts"
  return $enough
}
look() {
  at=$(command -v node) && try path "$at" && return
  at=$("\${SHELL:-/bin/sh}" -lc 'command -v node' </dev/null 2>/dev/null | tail -n 1)
  try other "$at" && return
  for at in ${nodes.map((path) => `"$HOME"/${path}/node`).join(' ')}; do
    try other "$at" && return
  done
}
look
link="$HOME/.local/bin/vtr"
if [ -L "$link" ] || [ -e "$link" ]; then
  of=other
  case $(readlink "$link" 2>/dev/null) in "$HOME/.local/share/vtr/"*) of=own ;; esac
  [ "$(sed -n 2p "$link" 2>/dev/null)" = ${shellQuoted(mark)} ] && of=own
  echo "link $of"
fi
${foundScript(userPrograms)}
exit 0`;

const foundScript = (userPrograms: string): string => `${userPrograms}
if at=$(command -v vtr); then
  echo "vtr $at"
  echo "version $("$at" --version </dev/null 2>/dev/null)"
fi`;

export interface InstallScript {
  readonly userPrograms: string;
  readonly version: string;
  readonly home: string;
  /** The path of Node.js; null if it is in PATH. */
  readonly node: string | null;
}

/** The status of {@link installScript} if vtr does not run there. */
export const doesNotRun = 3;

/**
 * A script of sh that unpacks an archive from stdin, tries what is in it, and only then puts it in place. It
 * prints facts as {@link probeScript} does, and `binding`.
 */
export function installScript({ userPrograms, version, home, node }: InstallScript): string {
  const program = `${home}/.local/share/vtr/${version}/dist/vtr.cjs`;
  // A link, unless a login that runs no profile would not find the Node.js that the command names.
  const makeCommand =
    node === null
      ? `ln -s ${shellQuoted(program)} "$command"`
      : `printf '%s\\n' '#!/bin/sh' ${shellQuoted(mark)} ${shellQuoted(
          `exec ${shellQuoted(node)} ${shellQuoted(program)} "$@"`,
        )} > "$command" && chmod 755 "$command"`;
  return `
umask 022
share="$HOME/.local/share/vtr" bin="$HOME/.local/bin"
to="$share/"${shellQuoted(version)} new="$share/.new-$$" old="$share/.old-$$" command="$bin/.vtr-$$"
trap 'rm -rf "$new" "$old" "$command"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$share" "$bin" && mkdir "$new" || exit 1
tar -xzf - -C "$new" || exit 1
node=${shellQuoted(node ?? 'node')}
"$node" "$new/dist/vtr.cjs" --version >/dev/null || exit ${doesNotRun}
"$node" -e ${shellQuoted(loadBinding)} "$new/dist/vtr-daemon.cjs" || exit ${doesNotRun}
${makeCommand} || exit 1
if [ -e "$to" ]; then mv "$to" "$old" || exit 1; fi
mv "$new" "$to" || { mv "$old" "$to"; exit 1; }
mv -f "$command" "$bin/vtr" || exit 1
${foundScript(userPrograms)}
exit 0`;
}
