/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what goes */

/** Operating system commands (ECMA-48, 8.3.89), ended by BEL or ST: titles, links, the clipboard. */
const commands = /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g;
/** CSI sequences, strings of other kinds, and sequences of two or three characters. */
const others =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[PX^_][^\u001b\u009c]*(?:\u001b\\|\u009c|$)|\u001b[ -/]*[0-~]/g;

/** What a program asks of the terminal's surroundings is none of a model's business. */
export const withoutCommands = (text: string): string => text.replace(commands, '');

export const withoutSequences = (text: string): string => withoutCommands(text).replace(others, '');
