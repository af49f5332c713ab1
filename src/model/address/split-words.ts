/** What a shell would do with them is not done, so that they need quotes. */
const operators = '|&;<>()$`';

/**
 * Splits a line into words as a POSIX shell does (Shell Command Language, 2.2): at blanks, with quotes and
 * backslashes. Nothing is expanded.
 *
 * @returns the words, or why the line cannot be split
 */
export function splitWords(line: string): readonly string[] | string {
  const words: string[] = [];
  /** Null between words. */
  let word: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    const isStart = word === null;
    word ??= '';
    if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) return "a quote ' is not closed";
      word += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      for (at++; line.charAt(at) !== '"'; at++) {
        if (at >= line.length) return 'a quote " is not closed';
        if (line.charAt(at) === '\\' && '$`"\\'.includes(line.charAt(at + 1) || ' ')) at++;
        else if ('$`'.includes(line.charAt(at))) return notExpanded(line.charAt(at));
        word += line.charAt(at);
      }
    } else if (char === '\\') {
      at++;
      if (at === line.length) return 'it ends with a backslash';
      word += line.charAt(at);
    } else if (operators.includes(char) || (isStart && '~#'.includes(char))) {
      return notExpanded(char);
    } else word += char;
  }
  if (word !== null) words.push(word);
  return words;
}

const notExpanded = (char: string): string =>
  `no shell runs that would interpret ${char}; quote it with '', or use sh -c`;
