// A coding agent: its composer takes Enter as a prompt; then `?` asks, `y` answers, `.` ends the turn, and `q` ends it.
//
// coding-agent.mjs prompted [trust] [silent] has a composer for texts, and does what the words of a prompt say: `ask`
// shows a dialog, `twice` two of them, `quick` answers at once, `stall` takes the prompt and does nothing, `long` works
// until escape. Any other prompt is answered after a moment. A prompt while it works waits for the end of the turn.
// `login` says that it needs a login, above its composer. With `trust`, a dialog comes first; with `silent`, it does not
// report its status; with `halves`, it draws a dialog in two parts, the second one a moment later.
//
// With `plain`, it sets no modes; with `hidden`, it only hides the cursor, as Ink does; with `spin HERTZ`, it works, and says so by its screen alone.
//
// Without these words, it shows its arguments over the composer. With AGENT_FILES, the path of a directory, it appends to
// ID.jsonl there at each prompt, where ID is that of --resume, or a new one.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
const resumed = args.indexOf('--resume');
const id = resumed === -1 ? randomUUID() : args[resumed + 1];
const files = process.env['AGENT_FILES'];
const keep = () => {
  if (files === undefined) return;
  appendFileSync(join(files, `${id}.jsonl`), `${JSON.stringify({ id, cwd: process.cwd() })}\n`);
};

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

const signs = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
/** @type {ReturnType<typeof setInterval> | undefined} */
let turning;
const works = () => {
  print('\x1b]7501;state=working:app=agent\x1b\\');
  composer(`${signs[0]} Working... (esc to interrupt)`);
  // A sign that stands still is no evidence of work.
  let turns = 0;
  turning = setInterval(() => print(`\x1b7\x1b[6;1H${signs[++turns % signs.length]}\x1b8`), 200);
};

/** @type {Record<string, () => void>} */
const states = {
  '\r': () => {
    keep();
    works();
  },
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

const [mode, ...words] = process.argv.slice(2);

/** A coding agent with a composer. */
class Prompted {
  draft = '';
  /** @type {string[]} */
  conversation = [];
  /** @type {string[]} */
  queue = [];
  over = '';
  turn = 0;
  /** @type {{ text: string, selected: number, then: (choice: number) => void } | null} */
  dialog = null;
  /** @type {ReturnType<typeof setInterval> | null} */
  spinner = null;
  isPaste = false;

  /** @param {string} state */
  report(state) {
    if (!words.includes('silent')) print(`\x1b]7501;state=${state}:app=agent\x1b\\`);
  }

  draw() {
    const talk = this.conversation.slice(-8).map((text, row) => at(row + 1, text));
    if (this.dialog !== null) {
      const { text, selected } = this.dialog;
      const options = ['Yes', "Yes, and don't ask again", 'No (esc)'].map((option, index) =>
        at(14 + index, `${index === selected ? '❯' : ' '} ${index + 1}. ${option}`),
      );
      const rows = [
        at(10, rule),
        at(11, 'Bash command'),
        at(12, `  ${text}`),
        at(13, 'Do you want to proceed?'),
      ];
      const last = `${options.pop()}${at(18, 'Enter to confirm · Esc to cancel')}`;
      const isInHalves = words.includes('halves');
      print(`\x1b[?25l\x1b[2J${[...talk, ...rows, ...options].join('')}${isInHalves ? '' : last}`);
      if (isInHalves) setTimeout(() => this.dialog !== null && print(last), 120);
      return;
    }
    const field = [at(10, this.over), at(11, rule), at(12, `❯ ${this.draft}`), at(13, rule)];
    const queued = this.queue.map((text, row) => at(9 - row, `queued: ${text}`));
    print(`\x1b[?25l\x1b[2J${[...talk, ...field, ...queued].join('')}`);
    print(`\x1b[12;${3 + this.draft.length}H\x1b[?25h`);
  }

  /** @param {() => void} [then] */
  work(then) {
    this.report('working');
    let turns = 0;
    const turn = () => {
      this.over = `${'⠋⠙⠹⠸'[turns++ % 4]} Working... (esc to interrupt)`;
      this.draw();
      if (turns === 6) then?.();
    };
    this.spinner = setInterval(turn, 80);
    turn();
  }

  /** @param {string} text */
  ask(text, /** @type {(choice: number) => void} */ then) {
    this.rest();
    this.report('blocked:kind=permission');
    this.dialog = { text, selected: 0, then };
    this.draw();
  }

  rest() {
    if (this.spinner !== null) clearInterval(this.spinner);
    this.spinner = null;
    this.over = '';
  }

  /** @param {string} text */
  end(text) {
    this.rest();
    this.conversation.push(`● ${text}`);
    this.report('done');
    this.draw();
    const next = this.queue.shift();
    if (next !== undefined) this.prompt(next);
  }

  /** @param {string} text */
  prompt(text) {
    this.conversation.push(`> ${text}`);
    this.turn++;
    if (text.includes('stall')) this.draw();
    else if (text.includes('login'))
      this.work(() => {
        this.rest();
        this.conversation.push('● Not logged in');
        this.report(`blocked:kind=auth:msg=${btoa('Not logged in')}`);
        this.draw();
      });
    else if (text.includes('quick')) this.end(`quickly: ${text}`);
    else if (text.includes('long')) this.work();
    else if (text.includes('ask'))
      this.work(() =>
        this.askAll(text.includes('twice') ? ['npm publish', 'git push'] : ['npm publish']),
      );
    else this.work(() => this.end(`answer ${this.turn}: ${text}`));
  }

  /** @param {readonly string[]} commands */
  askAll([command = '', ...more]) {
    this.ask(command, (choice) => {
      this.conversation.push(`${command}: ${choice + 1}`);
      if (more.length > 0 && choice < 2) this.askAll(more);
      else this.work(() => this.end(choice < 2 ? 'all done' : 'not done'));
    });
  }

  /** @param {string} key */
  answer(key) {
    const { dialog } = this;
    if (dialog === null) return;
    const choose = (/** @type {number} */ choice) => {
      this.dialog = null;
      dialog.then(choice);
    };
    if (key === '\x1b[A' || key === '\x1bOA') dialog.selected = Math.max(0, dialog.selected - 1);
    if (key === '\x1b[B' || key === '\x1bOB') dialog.selected = Math.min(2, dialog.selected + 1);
    if (key === '\r') choose(dialog.selected);
    else if (key === '\x1b') choose(2);
    else if (/^[123]$/.test(key)) choose(Number(key) - 1);
    else this.draw();
  }

  /** @param {string} key */
  press(key) {
    if (key === '\x1b[200~' || key === '\x1b[201~') this.isPaste = key === '\x1b[200~';
    else if (this.dialog !== null) this.answer(key);
    else if (key === '\x1b') this.spinner !== null && this.end('interrupted');
    else if (key === '\x03') process.exit();
    else if (key === '\x15') this.draft = '';
    else if (key === '\x7f') this.draft = this.draft.slice(0, -1);
    else if (key === '\r' && !this.isPaste) this.submit();
    else if (/^\P{Cc}$/u.test(key)) this.draft += key;
    if (this.dialog === null) this.draw();
  }

  submit() {
    const text = this.draft;
    this.draft = '';
    if (text === '') return;
    if (this.spinner === null) this.prompt(text);
    else this.queue.push(text);
  }
}

process.stdin.setRawMode(true);
if (mode !== 'plain' && mode !== 'hidden') print('\x1b[?1049h\x1b[?2004h\x1b[?1004h');
if (mode === 'hidden') {
  print(`\x1b[?25l\x1b[2J${at(7, rule)}${at(8, '❯ ')}${at(9, rule)}\r\n`);
  process.stdin.resume();
} else if (mode === 'spin') {
  const hertz = Number(words[0]);
  composer('');
  let frame = 0;
  setInterval(() => {
    const sign = signs[frame++ % signs.length];
    const seconds = Math.floor(frame / hertz);
    print(`\x1b7${at(6, `${sign} Working... (${seconds}s · esc to interrupt)`)}\x1b8`);
  }, 1_000 / hertz);
} else if (mode === 'prompted') {
  const agent = new Prompted();
  if (words.includes('trust'))
    agent.ask('trust this directory', () => {
      agent.report('idle');
      agent.draw();
    });
  else {
    agent.report('idle');
    agent.draw();
  }
  process.stdin.on('data', (data) => {
    const keys = data.toString().match(/\x1b\[[\d;]*[A-Za-z~]|\x1bO.|[\s\S]/gu) ?? [];
    for (const key of keys) agent.press(key);
  });
} else {
  if (mode !== 'plain' && mode !== 'hidden') print('\x1b]7501;state=idle:app=agent\x1b\\');
  composer(mode === 'plain' ? '' : args.join(' '));
  process.stdin.on('data', (data) => {
    for (const key of data.toString()) {
      if (!Object.hasOwn(states, key)) continue;
      clearInterval(turning);
      states[key]?.();
    }
  });
}
