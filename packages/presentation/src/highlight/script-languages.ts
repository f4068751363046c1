import bash from 'highlight.js/lib/languages/bash'
import elixir from 'highlight.js/lib/languages/elixir'
import javascript from 'highlight.js/lib/languages/javascript'
import lua from 'highlight.js/lib/languages/lua'
import perl from 'highlight.js/lib/languages/perl'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import python from 'highlight.js/lib/languages/python'
import r from 'highlight.js/lib/languages/r'
import ruby from 'highlight.js/lib/languages/ruby'
import typescript from 'highlight.js/lib/languages/typescript'
import type { Language } from './language.ts'

/** Languages whose programs run from their source. */
export const scriptLanguages: Readonly<Record<string, Language>> = {
  bash: { grammar: bash, names: 'sh shell zsh ksh console bashrc' },
  elixir: { grammar: elixir, names: 'ex exs' },
  javascript: { grammar: javascript, names: 'js jsx mjs cjs node', within: ['xml'] },
  lua: { grammar: lua, names: '' },
  perl: { grammar: perl, names: 'pl pm' },
  php: { grammar: php, names: 'phtml' },
  powershell: { grammar: powershell, names: 'ps1 psm1 pwsh ps' },
  python: { grammar: python, names: 'py pyi python3 pyw' },
  r: { grammar: r, names: '' },
  ruby: { grammar: ruby, names: 'rb rake gemfile rakefile gemspec' },
  typescript: { grammar: typescript, names: 'ts tsx mts cts', within: ['xml'] },
}
