/** A tape in VHS's own language, without what vtr adds. */
export interface VhsTape {
  readonly name: string;
  readonly text: string;
  /** The error with which it must fail; absent if it passes. */
  readonly error?: RegExp;
}

const tape = (name: string, text: string): VhsTape => ({ name, text });

/** One for each setting, and for several values of some. */
const settings = [
  ...[10, 20, 40].map((size) => `FontSize ${size}`),
  ...['"Fira Code"', 'Monoflow', "'DejaVu Sans Mono'"].map((font) => `FontFamily ${font}`),
  ...[600, 1000].flatMap((side) => [`Width ${side}`, `Height ${side}`]),
  ...['0', '2', '20'].map((spacing) => `LetterSpacing ${spacing}`),
  ...['1.0', '1.8'].map((height) => `LineHeight ${height}`),
  ...['25ms', '.05', '0.1s'].map((speed) => `TypingSpeed ${speed}`),
  ...['"Night Sky"', '{ "name": "Dusk", "red": "#ef6487", "background": "#29283b" }'].map(
    (theme) => `Theme ${theme}`,
  ),
  ...['0', '40'].map((padding) => `Padding ${padding}`),
  ...['Colorful', 'ColorfulRight', 'Rings', 'RingsRight'].map((bar) => `WindowBar ${bar}`),
  ...['Margin 30', 'MarginFill "#674EFF"', 'WindowBarSize 40', 'BorderRadius 8'],
  ...['Framerate 25', 'PlaybackSpeed 0.5', 'PlaybackSpeed 2'],
  ...['LoopOffset 20', 'LoopOffset 20.5%', 'LoopOffset 60.4'],
  ...['CursorBlink false', 'CursorBlink true', 'WaitTimeout 5s', 'WaitPattern />$/'],
].map((setting) =>
  tape(
    `Set ${setting}`,
    `Output out.gif\nSet FontSize 18\nSet ${setting}\n\nType "a setting"\nSleep .05\n`,
  ),
);

const keys = [
  ...['Backspace', 'Delete', 'Insert', 'Enter', 'Space', 'Tab', 'Left', 'Right', 'Up', 'Down'],
  ...['PageUp', 'PageDown', 'Escape', 'ScrollUp', 'ScrollDown'],
].map((key) =>
  tape(key, `Output out.gif\nType@5ms "some text"\n${key}\n${key} 2\n${key}@.01 3\nSleep 50ms\n`),
);

const combinations = [
  ...['Ctrl+C', 'Ctrl+R', 'Ctrl+L', 'Ctrl+U', 'Ctrl+a', 'Ctrl+Alt+f', 'Ctrl+Shift+O'],
  ...['Ctrl+Left', 'Ctrl+Backspace', 'Ctrl+@', 'Ctrl+[', 'Ctrl+]', 'Ctrl+^', 'Ctrl+\\', 'Ctrl+-'],
  ...['Alt+.', 'Alt+L', 'Alt+i', 'Alt+Enter', 'Alt+Tab', 'Shift+Tab', 'Shift+A', 'Shift+Enter'],
].map((keysHeld) => tape(keysHeld, `Output out.gif\nType "word"\n${keysHeld}\nSleep .05\n`));

const shells = ['bash', '"zsh"', 'fish', 'sh'].map((shell) =>
  tape(
    `Set Shell ${shell}`,
    `Output out.gif\nSet Shell ${shell}\nSleep .1\nType "echo $0" Enter\nSleep 0.2s\n`,
  ),
);

const waits = [
  'Wait',
  'Wait />/',
  'Wait+Line /^>$/',
  'Wait+Screen /o/',
  'Wait@5s />/',
  'Wait+Line@5s />$/',
].map((wait) => tape(wait, `Type "echo foo"\nEnter\n${wait}\nSleep .05\n`));

const programs: readonly VhsTape[] = [
  tape(
    'an editor',
    'Output out.gif\nRequire vim\nType "vim -u NONE -n" Enter Sleep .5\nType@10ms "iHello"\nSleep .1\nEscape\nType ":q!" Enter Sleep .2',
  ),
  tape(
    'a pager',
    'Output out.txt\nRequire less\nType "seq 200 | less" Enter\nWait+Screen /\\n10\\n/\nDown@5ms 10\nUp@5ms 4\nPageDown 2\nType "q"',
  ),
  tape(
    'a filter',
    'Output out.gif\nOutput out.ascii\nType "seq 50 | fzf" Enter\nSleep .5\nDown@20ms 3\nType@20ms "4"\nSleep .1\nEnter\nSleep .2',
  ),
  tape(
    'a REPL',
    'Output out.gif\nType "python3 -q" Enter\nWait+Line />>>$/\nType "print(6 * 7)" Enter\nWait+Screen /42/\nCtrl+D',
  ),
  tape(
    'a monitor',
    'Output out.webm\nSet Width 1600\nSet Height 800\nType "top -b -n 1 | head -5" Enter\nSleep .5',
  ),
];

const others: readonly VhsTape[] = [
  tape('comments', '# one\n\n# Type "not this"\nType "this" # and this\nSleep .05'),
  tape(
    'several outputs',
    'Output a.gif\nOutput b.mp4\nOutput c.webm\nOutput frames/\nOutput d.txt\nType "x"',
  ),
  tape(
    'quotes',
    'Type "double \'single\'"\nType \'single "double"\'\nType `both " and \'`\nType words without quotes',
  ),
  tape('commands on one line', 'Type "echo hi" Sleep 50ms Enter Sleep 50ms Ctrl+L Sleep .05'),
  tape('no spaces', "Type@.01'[ x ]'\nSleep .05"),
  tape(
    'Hide and Show',
    'Output out.gif\nHide\nType "export A=b" Enter\nCtrl+L\nShow\nType "echo $A" Enter\nSleep .1',
  ),
  tape('Hide to the end', 'Output out.gif\nType "shown"\nHide\nType "hidden"\nCtrl+C'),
  tape(
    'Copy and Paste',
    'Copy "https://example.org/a?b"\nType "open "\nSleep 20ms\nPaste\nSleep .05',
  ),
  tape('Env', 'Env HELLO "WORLD"\nType "echo $HELLO" Enter\nWait+Screen /WORLD/'),
  tape(
    'Env after keys',
    'Type "echo $LATE"\nEnv LATE "set before"\nEnter\nWait+Screen /set before/',
  ),
  tape('Screenshot', 'Type "echo picture" Enter\nSleep .1\nScreenshot shots/one.png\nSleep .05'),
  tape(
    'TypingSpeed between',
    'Output out.gif\nSet TypingSpeed 5ms\nType "fast"\nCtrl+C\nSet TypingSpeed 30ms\nType "slow"\nCtrl+C',
  ),
  tape('a setting too late', 'Type "x"\nSet FontSize 30\nType "y"'),
  tape('a path with dots', 'Output ./a/b-c_d.1.gif\nType "x"'),
  tape('Require', 'Require echo\nRequire "cat"\nType "x"'),
  tape('long text', `Type@1ms "${'lorem ipsum '.repeat(20)}"\nCtrl+U`),
  tape('a URL', 'Type "Hello from https://example.org!"\nSleep .05'),
  tape(
    'decorations',
    'Output out.gif\nSet FontSize 28\nSet Padding 30\nSet Margin 80\nSet MarginFill "#674EFF"\nSet WindowBar Colorful\nSet WindowBarSize 40\nSet BorderRadius 8\nType "in a window"\nSleep .05',
  ),
  {
    name: 'unknown words',
    text: 'Set Foo Bar\nFoo\nType Enter\nfoo',
    error: /there is no setting Foo/,
  },
  { name: 'no time', text: 'Backspace@\nSleep', error: /expected a time/ },
  {
    name: 'nothing left',
    text: 'Set Height 100\nSet Width 100\nSet Padding 100\nType "x"',
    error: /leave nothing/,
  },
  {
    name: 'a missing program',
    text: 'Require vtr-has-no-such-program\nType "x"',
    error: /is not installed/,
  },
];

/** Tapes that use all that the examples in VHS's repository use, in our own words. */
export const vhsTapes: readonly VhsTape[] = [
  ...settings,
  ...keys,
  ...combinations,
  ...shells,
  ...waits,
  ...programs,
  ...others,
];
