import { noLink } from '../../style/link-table.ts';
import { type OscRun, osc } from './osc-function.ts';

/** The longest URI that browsers and terminals take; a longer one is no link. */
const maxUriLength = 2083;

/** What a URI is written with (RFC 3986, 2); the rest is percent-encoded. */
const uriForm = /^[!-~]+$/;
const idForm = /^[!-~]{1,250}$/;

/** `parameters ; URI`, of the parameters only `id`. Without a URI, or with none that is one: the end. */
const setLink: OscRun = (t, text) => {
  const [, parameters = '', uri = ''] = /^([^;]*);(.*)$/s.exec(text) ?? [];
  const isLink = uri.length <= maxUriLength && uriForm.test(uri);
  t.pen.link = isLink ? t.links.intern(uri, idOf(parameters)) : noLink;
};

function idOf(parameters: string): string {
  const found = parameters.split(':', 32).find((parameter) => parameter.startsWith('id='));
  const id = found?.slice('id='.length) ?? '';
  return idForm.test(id) ? id : '';
}

// biome-ignore format: one line a function
export const linkFunctions = [
  osc(8, 'Begin or end a hyperlink', setLink),
];
