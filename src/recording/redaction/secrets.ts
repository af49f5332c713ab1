import { encodeUtf8 } from '#base';
import { isSensitiveName } from '#model';
import { WordTable } from './word-table.ts';

/** A part of a text: from `from` up to but not including `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds secrets in text without control sequences. */
export interface SecretRule {
  /** Returns the secrets in a text, which is one line or part of it. */
  find(text: string): Iterable<Span>;
  /** Returns where a secret begins that may continue after the end of the text; -1 if there is none. */
  open(text: string): number;
  /**
   * Returns where a secret begins of which the end of the text shows enough to tell; -1 if there is none.
   * Undefined if only a whole secret can be told.
   */
  begun?(text: string): number;
  /** Returns where a secret ends that began before the text; 0 if there is none that can be told. */
  ended?(text: string): number;
  /**
   * Words of at least three bytes in UTF-8, one of which is in each line with a secret. Undefined if
   * there are none: then recordings take several times as long.
   */
  readonly words?: readonly string[];
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
  },
  // As `env` and `export` print them.
  {
    lead: '(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS)[A-Z0-9_]{0,64}=["\']?',
    body: '[^\\s"\']',
    min: 4,
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

const tokens = tokenForms.map(({ lead, body, min, end = '' }) => ({
  /** Any text may be in front of an end that is not there yet. */
  minBegun: end === '' ? Math.min(min, minBegun) : Number.POSITIVE_INFINITY,
  lead: new RegExp(lead, 'g'),
  whole: new RegExp(`(${lead})${body}{${min},${maxBody}}${end}`, 'g'),
  /** The last characters of a text, as far as they can be a body. Searched backwards, so in linear time. */
  tail: new RegExp(`(?<=(${body}{0,${maxBody}}))$`, 'y'),
}));

/** Finds the keys and tokens of well-known services, and passwords in URLs and in variables. */
export const tokenRule: SecretRule = {
  *find(text) {
    for (const { line, place } of hintedLines(text)) {
      for (const { whole } of tokens) {
        for (const { index, 0: match, 1: lead = '' } of line.matchAll(whole)) {
          yield { from: place + index + lead.length, to: place + index + match.length };
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
function openBody(text: string, { lead, tail }: (typeof tokens)[number]): number {
  tail.lastIndex = text.length;
  const first = text.length - (tail.exec(text)?.[1]?.length ?? 0);
  // Leads may overlap, so that each place is tried.
  for (let at = Math.max(0, first - maxLead); ; at++) {
    lead.lastIndex = at;
    const found = lead.exec(text);
    if (found === null) return -1;
    at = found.index;
    if (at + found[0].length >= first) return at + found[0].length;
  }
}

/** The shortest value that is looked for, in characters: shorter ones occur in other words. */
export const minLiteral = 6;

/** The characters of a literal that may be written before it is recognized. */
const maxShown = 3;

/** Returns a rule for secrets that are known, such as the values of variables. */
export function literalRule(values: Iterable<string>): SecretRule {
  const lines = [...values].flatMap((value) => value.split(/[\r\n]+/));
  const secrets = [...new Set(lines)].filter((value) => value.length >= minLiteral);
  // The longest first, because one may begin with another.
  secrets.sort((a, b) => b.length - a.length);
  const longest = secrets[0]?.length ?? 0;
  const open = (text: string): number => {
    const first = Math.max(0, text.length - longest + 1);
    for (let at = first; at < text.length - maxShown; at++) {
      const end = text.slice(at);
      if (secrets.some((secret) => secret.length > end.length && secret.startsWith(end))) return at;
    }
    return -1;
  };
  return {
    open,
    begun: open,
    ended(text) {
      for (let length = Math.min(longest - 1, text.length); length > maxShown; length--) {
        const end = text.slice(0, length);
        if (secrets.some((secret) => secret.length > length && secret.endsWith(end))) return length;
      }
      return 0;
    },
    *find(text) {
      for (const secret of secrets) {
        for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
          yield { from: at, to: at + secret.length };
        }
      }
    },
    words: secrets,
  };
}

/** Finds the matches of a pattern of the user; only what it matches is a secret. */
export interface SecretMatcher {
  matches(text: string): Iterable<Span>;
}

/** Returns a rule for a pattern. It is matched within a line, and as soon as a word ends. */
export function matcherRule(matcher: SecretMatcher): SecretRule {
  return {
    find: (text) => matcher.matches(text),
    open(text) {
      // Backwards: a regular expression would look at each place of a long word again.
      let from = text.length;
      while (from > 0 && !/\s/.test(text.charAt(from - 1))) from--;
      return from === text.length ? -1 : from;
    },
  };
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that programs do not inherit, whose values are no secrets. */
const harmless = /^AWS_(?:.*PROFILE|.*REGION|.*OUTPUT|PAGER|.*_FILE|CA_BUNDLE|SDK_.*|EC2_.*)$/;

/** Returns the values of the variables of an environment whose names look like secrets. */
export const secretValues = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = value !== undefined && isSensitiveName(name) && !harmless.test(name);
    return isSecret ? [value] : [];
  });
