/** Cuts a text to a number of characters: from its end if the number is negative. */
export function trimmed(text: string, limit: string, marker: string): string {
  const most = Number(limit);
  const characters = [...text];
  if (!Number.isInteger(most) || most === 0 || characters.length <= Math.abs(most)) return text;
  return most > 0
    ? characters.slice(0, most).join('') + marker
    : marker + characters.slice(most).join('');
}

/** Fills a text with spaces: on the left if the number is negative. */
export function padded(text: string, width: string): string {
  const length = Number(width);
  if (!Number.isInteger(length)) return text;
  const missing = ' '.repeat(Math.max(0, Math.abs(length) - [...text].length));
  return length > 0 ? text + missing : missing + text;
}

/** Escapes characters of the shell, or with `e` and `h` those of formats. */
export function quoted(text: string, kind: string): string {
  if (kind === 'e' || kind === 'h') return text.replace(/#/g, '##');
  return text.replace(/[|&;<>()$`\\"'*?[# =%]/g, '\\$&');
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** Replaces `%H` and others by parts of a time, as strftime(3) in the C locale. */
export function withTime(format: string, ms: number): string {
  if (!format.includes('%')) return format;
  const date = new Date(ms);
  return format.replace(/%([A-Za-z%])/g, (whole, letter: string) => partOf(date, letter) ?? whole);
}

function partOf(date: Date, letter: string): string | null {
  const two = (value: number) => String(value).padStart(2, '0');
  const hour12 = date.getHours() % 12 || 12;
  const day = weekdays[date.getDay()] ?? '';
  const month = months[date.getMonth()] ?? '';
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const short = `${two(date.getMonth() + 1)}/${two(date.getDate())}/${two(date.getFullYear() % 100)}`;
  const parts: Readonly<Record<string, string>> = {
    A: day,
    a: day.slice(0, 3),
    B: month,
    b: month.slice(0, 3),
    h: month.slice(0, 3),
    d: two(date.getDate()),
    e: String(date.getDate()).padStart(2),
    '%': '%',
    H: two(date.getHours()),
    I: two(hour12),
    M: two(date.getMinutes()),
    S: two(date.getSeconds()),
    p: date.getHours() < 12 ? 'AM' : 'PM',
    m: two(date.getMonth() + 1),
    Y: String(date.getFullYear()),
    y: two(date.getFullYear() % 100),
    D: short,
    x: short,
    R: time,
    F: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    T: `${time}:${two(date.getSeconds())}`,
    X: `${time}:${two(date.getSeconds())}`,
    s: String(Math.floor(date.getTime() / 1000)),
    n: '\n',
    t: '\t',
  };
  return letter === 'c' ? dateText(date) : (parts[letter] ?? null);
}

/** As ctime(3), without the line end. */
function dateText(date: Date): string {
  const day = String(date.getDate()).padStart(2);
  const time = withTime('%T', date.getTime());
  const names = `${weekdays[date.getDay()]?.slice(0, 3)} ${months[date.getMonth()]?.slice(0, 3)}`;
  return `${names} ${day} ${time} ${date.getFullYear()}`;
}

/**
 * Returns a time in seconds as text.
 *
 * @param values of the modifier `t`: `p` for a short form, or `f` and a format
 */
export function timeText(value: string, values: readonly string[], nowMs: number): string {
  const seconds = Number(value);
  if (value === '' || !Number.isFinite(seconds) || seconds === 0) return '';
  const ms = seconds * 1000;
  const [kind = '', format = ''] = values;
  if (kind.includes('f')) return withTime(format, ms);
  if (!kind.includes('p')) return dateText(new Date(ms));
  const age = (nowMs - ms) / 1000;
  const hour = 3600;
  if (age < 24 * hour) return withTime('%H:%M', ms);
  if (age < 28 * 24 * hour) return withTime('%a%d', ms);
  return withTime(age < 365 * 24 * hour ? '%d%b' : '%h%y', ms);
}

/**
 * Returns the result of `#{e|OPERATOR|f|DIGITS:LEFT,RIGHT}`; empty if it cannot be calculated.
 *
 * @param values the operator, `f` for numbers with digits after the point, and how many of these
 */
export function calculated(
  [operator = '', flags = '', digits]: readonly string[],
  leftText: string,
  rightText: string,
): string {
  const isReal = flags.includes('f');
  const [left, right] = [leftText, rightText].map((text) =>
    text.trim() === '' ? Number.NaN : isReal ? Number(text) : Math.trunc(Number(text)),
  ) as [number, number];
  if (Number.isNaN(left) || Number.isNaN(right)) return '';
  const result = operators[operator]?.(left, right);
  if (result === undefined || !Number.isFinite(result)) return '';
  return isReal ? result.toFixed(Number(digits ?? 2)) : String(Math.trunc(result));
}

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  m: (left, right) => left % right,
  '%': (left, right) => left % right,
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
};
