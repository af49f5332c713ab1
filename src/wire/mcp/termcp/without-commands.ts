/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what goes */

/** Operating system commands (ECMA-48, 8.3.89), ended by BEL or ST: titles, links, the clipboard. */
const commands = /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g;

/** What a program asks of the terminal's surroundings is none of a model's business. */
export const withoutCommands = (text: string): string => text.replace(commands, '');
