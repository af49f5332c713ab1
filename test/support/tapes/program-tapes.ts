/** Edits of vim, with the row that they leave; the buffer has `alpha beta` and `gamma delta`. */
const edits: readonly (readonly [keys: string, row: RegExp])[] = [
  ['dw', /^beta$/],
  ['x', /^lpha beta$/],
  ['A!', /^alpha beta!$/],
  ['J', /^alpha beta gamma delta$/],
  ['dd', /^gamma delta$/],
  ['yyp', /^alpha beta\nalpha beta$/m],
  ['~', /^Alpha beta$/],
  ['wD', /^alpha$/],
  ['cwomega', /^omega beta$/],
  ['Onew', /^new\nalpha/m],
  ['onext', /beta\nnext$/m],
  ['jddP', /^gamma delta\nalpha/m],
  ['gUU', /^ALPHA BETA$/],
  ['xp', /^lapha beta$/],
  ['wiand ', /^alpha and beta$/],
  ['3rx', /^xxxha beta$/],
  ['$s!', /^alpha bet!$/],
];

const vimTapes = edits.map(([keys, row]) => [
  `Type "printf 'alpha beta\\ngamma delta\\n' > ~/text; vim -Nu NONE -n ~/text" Enter`,
  'Expect /2L, 23B|2 lines/',
  `Type "${keys}"`,
  'Escape',
  `Expect /(?m)${row.source}/`,
  'Type ":set noruler | echo 7 * 6" Enter',
  'Expect /42$/',
  'Match end',
  'Type ":q!" Enter',
  'WaitCommand exit 0',
]);

/** What is typed in less, and a pattern of the screen then; the file has the numbers up to 500. */
const moves: readonly (readonly [keys: string, screen: string])[] = [
  ['G', '500\\n'],
  ['100g', '^100\\n'],
  ['5j3j', '^9\\n'],
  ['  ', '^47\\n'],
  ['Gg', '^1\\n2\\n'],
  ['10j', '^11\\n'],
  ['20j5k', '^16\\n'],
  ['d', '^13\\n'],
  ['dd', '^25\\n'],
  ['fb', '^1\\n2\\n'],
  ['99gf', '^122\\n'],
  ['Gk', '^477\\n'],
  ['Gb', '^455\\n'],
  ['42g', '^42\\n'],
  ['200gj', '^201\\n'],
  ['5f', '^6\\n'],
  ['300gu', '^288\\n'],
];

const lessTapes = moves.map(([keys, screen]) => [
  'Type "seq 500 > ~/numbers; less ~/numbers" Enter',
  'Expect /\\n23\\n/',
  `Type "${keys}"`,
  `Expect /${screen}/`,
  'Match end mask /^:$|.END.|.*numbers$/',
  'Type "q"',
  'WaitCommand exit 0',
]);

/** What is typed in fzf, and the line that is then chosen, of the numbers up to 100. */
const queries = Array.from({ length: 16 }, (_, at) => [`${at + 10}`, `${at + 10}`] as const);

const fzfTapes = queries.map(([query, chosen]) => [
  'Type "seq 100 | fzf --no-color --reverse --no-info" Enter',
  'Expect /\\n  20\\n/',
  `Type "'${query}"`,
  `Expect /^> '${query}\\n> ${chosen}\\n/`,
  'Match end',
  'Enter',
  'WaitCommand exit 0',
  `Expect /\\n${chosen}\\n>/`,
]);

/** Fifty tapes over vim, less and fzf, by name. */
export const programTapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ vim: vimTapes, less: lessTapes, fzf: fzfTapes }).flatMap(([name, tapes]) =>
    tapes.map((lines, at) => [`${name}-${at}.tape`, `${lines.join('\n')}\n`]),
  ),
);
