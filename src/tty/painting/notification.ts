import { cleanLine } from '#base';
import type { NotificationEvent } from '#model';

/** A notification of a program, for the person's own terminal. */
export type NotifiedText = Pick<NotificationEvent, 'title' | 'body' | 'code'>;

/** The longest title and the longest text, in UTF-16 code units: kitty accepts at most 2,048 bytes in one part. */
const maxTitle = 256;
const maxBody = 640;

/**
 * Returns the control sequence by which a terminal shows a notification: the one that the program used, because the
 * program knows for which terminal it is. The texts are one line each, without controls, whatever the program wrote.
 *
 * @param id for kitty, which replaces a notification by the next one of the same id
 */
export function notificationBytes({ title, body, code = 777 }: NotifiedText, id: string): string {
  const [head, text] = [cleanLine(title, maxTitle), cleanLine(body, maxBody)];
  switch (code) {
    case 9:
      return osc(`9;${notCommand(text === '' ? head : text)}`);
    case 99:
      return kitty(head, text, id);
    case 777:
      // The title ends at a semicolon.
      return osc(`777;notify;${head.replaceAll(';', ',')};${text}`);
  }
}

const osc = (text: string): string => `\x1b]${text}\x1b\\`;

/** A number alone, or a number and a semicolon, is a command of ConEmu, such as progress. */
const notCommand = (text: string): string => (/^\d{1,2}(?:;|$)/.test(text) ? ` ${text}` : text);

/** Parts of one id; all but the last have `d=0`. No reports are asked for, because they would be typed. */
function kitty(title: string, body: string, id: string): string {
  if (title === '' || body === '') return osc(`99;i=${id};${title}${body}`);
  return `${osc(`99;i=${id}:d=0;${title}`)}${osc(`99;i=${id}:p=body;${body}`)}`;
}
