/**
 * A strict parser of OpenMetrics 1.0 text (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md),
 * for the types that vtr has. It throws what is wrong, and asks for more than the standard: each family
 * has a help, and its lines are in one order.
 */

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string | null;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

/** What the name of a sample has after that of its family. */
const suffixes: Readonly<Record<string, readonly string[]>> = {
  gauge: [''],
  stateset: [''],
  info: ['_info'],
  counter: ['_total', '_created'],
  histogram: ['_bucket', '_count', '_sum', '_created'],
};

const numberPattern = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?Inf|NaN)$/i;

/** @throws Error with the line that is wrong */
export function parseOpenMetrics(text: string): ReadonlyMap<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  const series = new Set<string>();
  const lines = text.split('\n');
  check(lines.pop() === '' && lines.pop() === '# EOF', 'the text does not end with # EOF', text);
  let samples: ParsedSample[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const [, name = '', type = ''] = /^# TYPE ([a-zA-Z_:][\w:]*) (\w+)$/.exec(line) ?? [];
    if (name === '') {
      const family = [...families.values()].at(-1);
      check(family !== undefined, 'a sample without a family', line);
      const sample = parseSample(line);
      const names = (suffixes[family.type] ?? []).map((suffix) => family.name + suffix);
      check(names.includes(sample.name), `a sample that is not of ${family.name}`, line);
      const key = line.slice(0, line.lastIndexOf(' '));
      check(!series.has(key), 'a series twice', line);
      series.add(key);
      samples.push(sample);
      at++;
      continue;
    }
    check(type in suffixes, 'an unknown type', line);
    check(!families.has(name), 'a family twice', line);
    at++;
    const [, unit = null] = new RegExp(`^# UNIT ${name} (\\S+)$`).exec(lines[at] ?? '') ?? [];
    if (unit !== null) at++;
    check(
      unit === null || name.endsWith(`_${unit}`),
      'a unit that the name does not end with',
      line,
    );
    const help = `# HELP ${name} `;
    check(lines[at]?.startsWith(help) === true, 'a family without a help', line);
    samples = [];
    const entry = { name, type, unit, samples };
    families.set(name, { ...entry, help: unescaped((lines[at] as string).slice(help.length)) });
    at++;
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

/** @throws Error */
function parseSample(line: string): ParsedSample {
  const [, name = '', set, number = ''] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)$/.exec(line) ?? [];
  check(name !== '' && numberPattern.test(number), 'not a sample', line);
  const labels: Record<string, string> = {};
  for (let rest = set ?? ''; rest !== ''; ) {
    const [pair = '', label = '', value = '', comma = ''] =
      /^([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(,|$)/.exec(rest) ?? [];
    check(pair !== '' && !(label in labels), 'wrong labels', line);
    labels[label] = unescaped(value);
    rest = rest.slice(pair.length);
    check((comma === ',') === (rest !== ''), 'a comma too many', line);
  }
  const value = Number(number.replace(/inf$/i, 'Infinity'));
  return { name, labels, value };
}

/** @throws Error for an escape that there is not */
function unescaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };
  check(!/(?<!\\)(?:\\\\)*"/.test(text), 'a quote that is not escaped', text);
  return text.replace(/\\.?/gs, (code) => {
    const meant = escapes[code];
    check(meant !== undefined, `the escape ${code}`, text);
    return meant;
  });
}

/** @throws Error */
function checkFamily({ name, type, samples }: ParsedFamily): void {
  for (const sample of samples) {
    const { value, labels } = sample;
    if (type === 'info') check(value === 1, 'an info that is not 1', name);
    if (type === 'stateset') check([0, 1].includes(value) && name in labels, 'a wrong state', name);
    if (type === 'counter') check(value >= 0, 'a counter that is negative or NaN', name);
    check(sample.name.endsWith('_bucket') === 'le' in labels, 'le only in buckets', name);
  }
  const keyOf = ({ labels: { le: _le, ...labels } }: ParsedSample) => JSON.stringify(labels);
  for (const key of new Set(samples.map(keyOf))) {
    const own = samples.filter((each) => keyOf(each) === key);
    const values = (suffix: string) =>
      own.filter((each) => each.name === name + suffix).map(({ value }) => value);
    const isWhole = (suffixes[type] ?? []).every((suffix) => values(suffix).length > 0);
    check(isWhole, `${key} has not all of its samples`, name);
    if (type !== 'histogram') continue;
    const bounds = own.flatMap(({ labels: { le } }) => le ?? []);
    check(
      bounds.every((le) => le === '+Inf' || /[.e]/.test(le)),
      'a bound like 1',
      name,
    );
    const numbers = bounds.map((le) => Number(le.replace('+Inf', 'Infinity')));
    check(isRising(numbers, false) && numbers.at(-1) === Number.POSITIVE_INFINITY, 'bounds', name);
    const counts = values('_bucket');
    check(isRising(counts, true), 'buckets that are not cumulative', name);
    check(counts.at(-1) === values('_count')[0], '+Inf is not the count', name);
  }
}

const isRising = (numbers: readonly number[], orEqual: boolean): boolean =>
  numbers.every((each, at) => {
    const before = numbers[at - 1] ?? Number.NEGATIVE_INFINITY;
    return orEqual ? each >= before : each > before;
  });

function check(holds: boolean, what: string, where: string): asserts holds {
  if (!holds) throw new Error(`${what}: ${where}`);
}

/** Returns the value of the only sample of that name with these labels; null if there is none. */
export function sampleOf(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const matches = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((each) => each.name === name)
    .filter((each) =>
      Object.entries(labels).every(([label, value]) => each.labels[label] === value),
    );
  check(matches.length <= 1, `${name} is not one sample`, JSON.stringify(labels));
  return matches[0]?.value ?? null;
}
