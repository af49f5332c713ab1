// A coding agent: its composer takes Enter as a prompt; then `?` asks, `y` answers, `.` ends the turn, and `q` ends it.
/** @param {string} text */
const print = (text) => process.stdout.write(text);
const rule = '─'.repeat(40);
/**
 * @param {number} row
 * @param {string} text
 */
const at = (row, text) => `\x1b[${row};1H\x1b[K${text}`;

/** @param {string} over the row over the composer */
const composer = (over) =>
  print(
    `\x1b[?25l\x1b[2J${at(6, over)}${at(7, rule)}${at(8, '❯ ')}${at(9, rule)}\x1b[8;3H\x1b[?25h`,
  );

const works = () => {
  print('\x1b]7501;state=working:app=agent\x1b\\');
  composer('⠋ Working... (esc to interrupt)');
};

/** @type {Record<string, () => void>} */
const states = {
  '\r': works,
  '?': () => {
    print('\x1b]7501;state=blocked:kind=permission:app=agent\x1b\\');
    print(`\x1b[?25l\x1b[2J${at(3, 'Run npm publish?')}${at(5, '❯ 1. Yes')}${at(6, '  2. No')}`);
    print(at(8, 'Enter to confirm · Esc to cancel'));
  },
  y: works,
  '.': () => {
    print('\x1b]7501;state=done:app=agent\x1b\\');
    composer('● Done.');
  },
  q: () => {
    print('\x1b]7501;state=clear\x1b\\\x1b[?2004l\x1b[?1004l\x1b[?1049l');
    process.exit();
  },
};

process.stdin.setRawMode(true);
print('\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b]7501;state=idle:app=agent\x1b\\');
composer('');
process.stdin.on('data', (data) => {
  for (const key of data.toString()) states[key]?.();
});
