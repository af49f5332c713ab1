import { encodeUtf8 } from '#base';
import { minSecretLength } from '#model';
import { type SecretRule, WordTable } from './secrets.ts';

/** The characters of a literal that are enough to look for it. */
const beginLength = 4;

/** More secrets than these are looked for together. */
const fewSecrets = 8;

/**
 * Returns a rule for secrets that are known, such as the values of variables.
 *
 * @param maxShown how many characters of one may be written before it is recognized, 0 to 3: so that what is shown at
 *   once is rarely held back
 */
export function literalRule(values: Iterable<string>, maxShown = 3): SecretRule {
  const shownLength = maxShown + 1;
  const lines = [...values].flatMap((value) => value.split(/[\r\n]+/));
  const secrets = [...new Set(lines)].filter((value) => value.length >= minSecretLength);
  // The longest first, because one may begin with another.
  secrets.sort((a, b) => b.length - a.length);
  const longest = secrets[0]?.length ?? 0;
  const byBegin = grouped(secrets, (secret) => secret.slice(0, shownLength));
  const byEnd = grouped(secrets, (secret) => secret.slice(-beginLength));
  const open = (text: string): number => {
    const first = Math.max(0, text.length - longest + 1);
    for (let at = first; at < text.length - maxShown; at++) {
      const begun = byBegin.get(text.slice(at, at + shownLength)) ?? [];
      const length = text.length - at;
      if (begun.some((each) => each.length > length && text.startsWith(each.slice(0, length), at)))
        return at;
    }
    return -1;
  };
  return {
    open,
    begun: open,
    ended(text) {
      for (let length = Math.min(longest - 1, text.length); length >= beginLength; length--) {
        const ended = byEnd.get(text.slice(length - beginLength, length)) ?? [];
        const end = text.slice(0, length);
        if (ended.some((secret) => secret.length > length && secret.endsWith(end))) return length;
      }
      return 0;
    },
    find: finderOf(secrets),
    words: secrets,
  };
}

/** Returns `SecretRule.find` for some secrets. */
function finderOf(secrets: readonly string[]): SecretRule['find'] {
  const byBegin = grouped(secrets, (secret) => secret.slice(0, beginLength));
  const isMany = secrets.length > fewSecrets;
  const together = new Set(isMany ? secrets.filter((each) => /^[\0-\x7f]{3}/.test(each)) : []);
  const alone = secrets.filter((each) => !together.has(each));
  const table = new WordTable();
  for (const secret of together) table.add(encodeUtf8(secret.slice(0, 3)));
  return function* (text) {
    for (const secret of alone) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
        yield { from: at, to: at + secret.length };
      }
    }
    if (together.size === 0) return;
    for (let at = table.search(text, 0); at >= 0; at = table.search(text, at + 1)) {
      for (const secret of byBegin.get(text.slice(at, at + beginLength)) ?? []) {
        if (text.startsWith(secret, at)) yield { from: at, to: at + secret.length };
      }
    }
  };
}

function grouped(
  values: readonly string[],
  keyOf: (value: string) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/**
 * A kind of key or token: `lead` is public and says what follows, `body` is secret. Both are sources of
 * regular expressions: `lead` matches at most {@link maxLead} characters, `body` one.
 */
interface TokenForm {
  readonly lead: string;
  readonly body: string;
  /** The least number of characters of a body that is a secret. */
  readonly min: number;
  /** What follows the body. */
  readonly end?: string;
  /** Whether the body can be a word of a program, such as `password=settings.password`. */
  readonly isLoose?: true;
}

const word = '[A-Za-z0-9]';
const urlSafe = '[\\w-]';
/** For leads that occur within words. */
const start = '(?<![A-Za-z0-9])';

/** Keys and tokens, as their issuers document them. */
// biome-ignore format: a table
const tokenForms: readonly TokenForm[] = [
  { lead: '(?:AKIA|ASIA|AROA|AIDA)', body: '[A-Z0-9]', min: 16 },                      // AWS, access key
  { lead: '(?:gh[pousr]|github_pat)_', body: '\\w', min: 22 },                         // GitHub
  { lead: 'glpat-', body: urlSafe, min: 20 },                                          // GitLab
  { lead: 'xox[abeoprs]-', body: '[A-Za-z0-9-]', min: 10 },                            // Slack
  { lead: `${start}sk-`, body: urlSafe, min: 20 },                                             // OpenAI, Anthropic
  { lead: '[sr]k_(?:live|test)_', body: word, min: 16 },                               // Stripe
  { lead: 'whsec_', body: '[A-Za-z0-9+/=]', min: 20 },                                 // Stripe, webhooks
  { lead: 'AIza', body: urlSafe, min: 35 },                                            // Google, API
  { lead: 'ya29\\.', body: urlSafe, min: 20 },                                         // Google, OAuth
  { lead: 'GOCSPX-', body: urlSafe, min: 20 },                                         // Google, client
  { lead: `${start}npm_`, body: word, min: 30 },                                               // npm
  { lead: 'pypi-', body: urlSafe, min: 32 },                                           // PyPI
  { lead: `${start}hf_`, body: word, min: 30 },                                                // Hugging Face
  { lead: `${start}SG\\.`, body: '[\\w.-]', min: 32 },                                         // SendGrid
  { lead: 'do[opr]_v1_', body: '[a-f0-9]', min: 64 },                                  // DigitalOcean
  { lead: 'dckr_pat_', body: urlSafe, min: 20 },                                       // Docker
  { lead: 'hv[sbr]\\.', body: urlSafe, min: 24 },                                      // Vault
  { lead: `${start}eyJ`, body: '[\\w.=-]', min: 30 },                                          // JSON Web Token
  { lead: '[Bb]earer {1,16}', body: '[\\w.~+/=-]', min: 16 },                            // RFC 6750
  { lead: '[Aa]uthorization: {0,16}[Bb]asic {1,16}', body: '[A-Za-z0-9+/=]', min: 8 },           // RFC 7617
  { lead: '[a-z][a-z0-9+.-]{1,15}://[^\\s/@:]{0,64}:', body: '[^\\s/@]', min: 1, end: '(?=@)' },     // RFC 3986, userinfo
  { lead: '[Xx]-[Aa][Pp][Ii]-[Kk]ey: {0,8}', body: '\\S', min: 8 },                               // a common header
  { lead: 'login {1,8}\\S{1,64} {1,8}password {1,8}', body: '\\S', min: 1 },                      // .netrc
  {
    lead: 'aws_(?:secret_access_key|session_token)["\']? {0,8}[=:] {0,8}["\']?',
    body: '[A-Za-z0-9+/=]',
    min: 16,
  },
  // As in JSON.
  {
    lead: '"(?:(?:access|refresh|id)_token|client_secret|api_?[Kk]ey|private_key|secret|password)" ?: ?"',
    body: '[^\\s"\\\\]',
    min: 8,
    isLoose: true,
  },
  // As `env` and `export` print them.
  {
    lead: '(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)[A-Z0-9_]{0,64}=["\']?',
    body: '[^\\s"\']',
    min: 4,
    isLoose: true,
  },
];

/** One of them is in every lead: text without any of them has no token. They begin with rare letters. */
// biome-ignore format: a table
const leadWords = [
  'KIA', 'SIA', 'ROA', 'IDA', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'ub_pat_', 'glpat-', 'xox', 'sk-', 'k_live_',
  'k_test_', 'whsec_', 'AIza', 'ya29.', 'GOCSPX-', 'pm_', 'pypi-', 'hf_', 'SG.', 'v1_', 'kr_pat_', 'hvs.', 'hvb.',
  'hvr.', 'eyJ', 'rer ', 'sic ', '://', 'SSW', 'SSPH', 'SECRET', 'TOKEN', 'KEY', 'DENTIALS',
  'i-key', 'i-Key', 'I-key', 'I-Key', 'ssword ', 's_key', 'n_token', 'en"', 'et"', 'ey"', 'rd"',
];

const leadTable = new WordTable();
for (const word of leadWords) leadTable.add(encodeUtf8(word));
const hints = new RegExp(leadWords.map((each) => each.replace('.', '\\.')).join('|'));

/** The longest lead and the longest body, in characters. */
const maxLead = 128;
const maxBody = 8192;

/** The characters of a body by which a token can be told before it is complete. */
const minBegun = 12;

const tokens = tokenForms.map(({ lead, body, min, end = '', isLoose = false }) => ({
  isLoose,
  /** Any text may be in front of an end that is not there yet. */
  minBegun: end === '' ? Math.min(min, minBegun) : Number.POSITIVE_INFINITY,
  lead: new RegExp(lead, 'g'),
  whole: new RegExp(`(${lead})${body}{${min},${maxBody}}${end}`, 'g'),
  /** The last characters of a text, as far as they can be a body. Searched backwards, so in linear time. */
  tail: new RegExp(`(?<=(${body}{0,${maxBody}}))$`, 'y'),
}));

type Token = (typeof tokens)[number];

/**
 * Returns the first place in the bytes of a text, from `from` up to but excluding `to`, at which a token may be;
 * -1 if there is none.
 */
export const tokenPlace = (bytes: Uint8Array, from: number, to: number): number =>
  leadTable.searchBytes(bytes, from, to);

/** Finds the keys and tokens of well-known services, and passwords in URLs and in variables. */
export const tokenRule: SecretRule = tokenRuleThat(() => {});

/**
 * Returns {@link tokenRule}, which also calls `learn` with the values that are secrets wherever else they
 * occur: see {@link lessonsOf}.
 */
export function tokenRuleThat(learn: (value: string) => void): SecretRule {
  return {
    *find(text) {
      for (const { line, place } of hintedLines(text)) {
        for (const token of tokens) {
          for (const { index, 0: match, 1: lead = '' } of line.matchAll(token.whole)) {
            const [from, to] = [place + index + lead.length, place + index + match.length];
            const isWhole = endsAt(text, to);
            if (isWhole)
              for (const value of lessonsOf(token, lead, text.slice(from, to))) learn(value);
            yield { from, to };
          }
        }
      }
    },
    open(text) {
      if (!hints.test(text)) return -1;
      const opens = tokens.map((token) => openBody(text, token)).filter((each) => each >= 0);
      return opens.length === 0 ? -1 : Math.min(...opens);
    },
    begun(text) {
      if (!hints.test(text)) return -1;
      const opens = tokens.map((token) => {
        const at = openBody(text, token);
        return text.length - at >= token.minBegun ? at : -1;
      });
      const begun = opens.filter((each) => each >= 0);
      return begun.length === 0 ? -1 : Math.min(...begun);
    },
    words: leadWords,
  };
}

/** Whether more of a secret cannot follow: a line feed alone can stand for a movement of the cursor. */
const endsAt = (text: string, at: number): boolean =>
  at < text.length && (!/[\r\n]/.test(text.charAt(at)) || text.startsWith('\r\n', at));

/** Values that stand for others: references and formats; and one character again and again. */
const placeholder = /^(?:[$<{[(%&*•\\]|(.)\1*$)/;

/** Words that stand for a secret in examples. */
const exampleWords = new Set(
  [
    'password',
    'passwd',
    'passphrase',
    'secret',
    'token',
    'apikey',
    'api_key',
    'api-key',
    'changeme',
    'example',
  ].concat(['username', 'postgres', 'mariadb', 'mongodb', 'rabbitmq']),
);

/** Returns the values that a token shows to be secrets, also where they occur without its lead. */
function lessonsOf({ isLoose }: Token, lead: string, body: string): readonly string[] {
  if (placeholder.test(body) || exampleWords.has(body.toLowerCase())) return [];
  if (isLoose && /^[A-Za-z][A-Za-z_.-]*$|\$\(|\(\)/.test(body)) return [];
  const url = /([a-z][a-z0-9+.-]*):\/\/([^/:]*):$/.exec(lead);
  if (url === null) return [body];
  if (body === url[1] || body === url[2]) return [];
  return body.includes('%') ? [body, decodedComponent(body)] : [body];
}

function decodedComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Yields the lines in which a token is possible: few, so that few are searched for each form. */
function* hintedLines(text: string): Generator<{ readonly line: string; readonly place: number }> {
  for (let at = leadTable.search(text, 0); at >= 0; ) {
    const place = text.lastIndexOf('\n', at) + 1;
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    const line = text.slice(place, end);
    if (hints.test(line)) yield { line, place };
    at = leadTable.search(text, end);
  }
}

/** Returns where the first body begins that goes on to the end of a text; -1 if there is none. */
function openBody(text: string, { lead, tail }: Token): number {
  tail.lastIndex = text.length;
  const first = text.length - (tail.exec(text)?.[1]?.length ?? 0);
  // Leads may overlap, so that each place is tried.
  for (let at = Math.max(0, first - maxLead); ; at++) {
    lead.lastIndex = at;
    const match = lead.exec(text);
    if (match === null) return -1;
    at = match.index;
    if (at + match[0].length >= first) return at + match[0].length;
  }
}
