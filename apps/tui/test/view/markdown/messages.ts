import fc from 'fast-check'
import { corpus } from './corpus.ts'

// biome-ignore format: a list
const lines = [
  '', '', '', 'para', 'more *text*', '**bo', 'ld**', '`co', 'a | b', '| a | b |', '|---|---|', '|:-|-:|', '| 1 | [x](http://y) |', '- a', '- b', '* c', '+ d', '-',
  '  - nested', '  cont', '   cont', '    deep', '      deeper', '1. one', '2. two', '10. ten', '1) p', '- [ ] t', '- [x] t', '> quote', '> more', '> - in', '> ```', '  > q',
  '```', '```js', '````', '~~~', '  ```', '    code', '\ttab', '# Head', '###', '---', '***', '- - -', '===', '--', '<div>', '</div>', '<!-- c', '-->', '<br>', '[r]: http://x',
  '[r]', '![i](a.png)', 'https://a.b/c', '漢字かな、混じり文。', '👩‍👩‍👧 emoji', '&amp; &#27;', '\\*not\\*', 'x  ', 'x\\', '\u001b[31mred', 'a\u202eb',
]

/** Markdown as a model may write it and as it may not. */
export const message = fc.oneof(
  fc.array(fc.constantFrom(...lines), { maxLength: 14 }).map((list) => list.join('\n')),
  fc
    .array(fc.constantFrom(...[...corpus.values()].flatMap((text) => text.split('\n'))), { maxLength: 20 })
    .map((list) => list.join('\n')),
  fc
    .array(
      fc.constantFrom(
        '*',
        '_',
        '`',
        '[',
        ']',
        '(',
        ')',
        '\n',
        ' ',
        'a',
        '|',
        '-',
        '>',
        '#',
        '~',
        '<',
        '&',
        '\\',
        '1',
        '.',
        '\t',
        '\r',
      ),
      { maxLength: 40 },
    )
    .map((list) => list.join('')),
)
