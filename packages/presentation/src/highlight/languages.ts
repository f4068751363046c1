import type { Grammar } from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import dart from 'highlight.js/lib/languages/dart'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import haskell from 'highlight.js/lib/languages/haskell'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import perl from 'highlight.js/lib/languages/perl'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import python from 'highlight.js/lib/languages/python'
import r from 'highlight.js/lib/languages/r'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scala from 'highlight.js/lib/languages/scala'
import scss from 'highlight.js/lib/languages/scss'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

export interface Language {
  readonly grammar: Grammar
  /** Other names of the language, endings of its files among them. */
  readonly names: string
  /** Languages that parts of it are written in. */
  readonly within?: readonly string[]
}

/** Languages by name; a grammar costs time only once code in it is shown. */
export const languages: Readonly<Record<string, Language>> = {
  bash: { grammar: bash, names: 'sh shell zsh ksh console bashrc' },
  c: { grammar: c, names: 'h' },
  cpp: { grammar: cpp, names: 'c++ cc cxx hpp hh hxx ino' },
  csharp: { grammar: csharp, names: 'cs c#' },
  css: { grammar: css, names: '' },
  dart: { grammar: dart, names: '' },
  diff: { grammar: diff, names: 'patch' },
  dockerfile: { grammar: dockerfile, names: 'docker containerfile', within: ['bash'] },
  elixir: { grammar: elixir, names: 'ex exs' },
  go: { grammar: go, names: 'golang' },
  graphql: { grammar: graphql, names: 'gql' },
  haskell: { grammar: haskell, names: 'hs' },
  ini: { grammar: ini, names: 'toml cfg conf editorconfig properties gitconfig env' },
  java: { grammar: java, names: '' },
  javascript: { grammar: javascript, names: 'js jsx mjs cjs node', within: ['xml'] },
  json: { grammar: json, names: 'jsonc json5 jsonl webmanifest' },
  kotlin: { grammar: kotlin, names: 'kt kts gradle' },
  lua: { grammar: lua, names: '' },
  makefile: { grammar: makefile, names: 'make mk mak' },
  markdown: { grammar: markdown, names: 'md mdx mkd' },
  perl: { grammar: perl, names: 'pl pm' },
  php: { grammar: php, names: 'phtml' },
  powershell: { grammar: powershell, names: 'ps1 psm1 pwsh ps' },
  python: { grammar: python, names: 'py pyi python3 pyw' },
  r: { grammar: r, names: '' },
  ruby: { grammar: ruby, names: 'rb rake gemfile rakefile gemspec' },
  rust: { grammar: rust, names: 'rs' },
  scala: { grammar: scala, names: 'sc sbt' },
  scss: { grammar: scss, names: 'sass less' },
  sql: { grammar: sql, names: 'psql mysql sqlite postgres' },
  swift: { grammar: swift, names: '' },
  typescript: { grammar: typescript, names: 'ts tsx mts cts', within: ['xml'] },
  xml: { grammar: xml, names: 'html htm xhtml svg vue svelte plist xsd xsl', within: ['css', 'javascript'] },
  yaml: { grammar: yaml, names: 'yml' },
}
